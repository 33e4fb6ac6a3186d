import type { Texts } from '../texts/language.js'

const EN = {
  back: 'All users',
  title: 'Invite a user',
  intro: 'A new user belongs to one company, and may work with GPTs of its account.',
  email: 'E-mail address',
  emailHint: 'For the invitation and the sign-in.',
  firstName: 'First name',
  lastName: 'Last name',
  invite: 'Send an invitation by mail',
  inviteHint: 'The mail has a link to choose a password.',
  noInviteHint:
    'No mail is sent. The user cannot sign in with a password until you send the invitation from the page of the user.',
  role: 'First permission: the role on the account for GPTs',
  roleDefault: 'Every new user gets Member at first. You can change it later.',
  further: 'Give a second permission',
  furtherHint:
    'Such as the role Administrator on the account of the application Tenant, for somebody who manages users.',
  send: 'Invite',
  addOnly: 'Add without a mail',
  cancel: 'Cancel',
  sent: (email: string): string => `The user is added. An invitation goes to ${email}.`,
  added: 'The user is added. No mail is sent.',
  half: (sentence: string): string => `The user is added, but one permission is missing. ${sentence}`,
}

const DE: typeof EN = {
  back: 'Alle Benutzer',
  title: 'Benutzer einladen',
  intro: 'Ein neuer Benutzer gehört zu einer Firma und darf mit den GPTs ihres Kontos arbeiten.',
  email: 'E-Mail-Adresse',
  emailHint: 'Für die Einladung und die Anmeldung.',
  firstName: 'Vorname',
  lastName: 'Nachname',
  invite: 'Einladung per E-Mail senden',
  inviteHint: 'Die E-Mail enthält einen Link, um ein Passwort zu wählen.',
  noInviteHint:
    'Es wird keine E-Mail gesendet. Der Benutzer kann sich nicht mit Passwort anmelden, bis du auf seiner Seite die Einladung sendest.',
  role: 'Erstes Recht: Rolle auf dem Konto für GPTs',
  roleDefault: 'Jeder neue Benutzer bekommt zuerst Member. Du kannst das später ändern.',
  further: 'Ein zweites Recht geben',
  furtherHint: 'Etwa die Rolle Administrator auf dem Konto der Anwendung Tenant, für jemanden, der Benutzer verwaltet.',
  send: 'Einladen',
  addOnly: 'Ohne E-Mail hinzufügen',
  cancel: 'Abbrechen',
  sent: (email) => `Der Benutzer ist hinzugefügt. Eine Einladung geht an ${email}.`,
  added: 'Der Benutzer ist hinzugefügt. Es wird keine E-Mail gesendet.',
  half: (sentence) => `Der Benutzer ist hinzugefügt, aber ein Recht fehlt. ${sentence}`,
}

export const INVITE_TEXTS: Texts<typeof EN> = { en: EN, de: DE }
