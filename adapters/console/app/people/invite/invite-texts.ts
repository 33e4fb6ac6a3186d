import { phrases } from '../../texts/phrases.js'

export const INVITE_TEXTS = phrases({
  en: {
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
    roleDefault: 'Every new user is a Member at first. You can change it later.',
    further: 'Give a second permission',
    furtherHint:
      'Such as the role Administrator on the account of the application “Users and webhooks”, for somebody who manages users.',
    send: 'Invite',
    addOnly: 'Add without a mail',
    cancel: 'Cancel',
    added: 'The user is added.',
    again: 'Links of earlier invitations no longer work.',
    sent: (email: string) =>
      `A mail with a link to choose a password goes to ${email}. The link works once, for seven days.`,
    unsure: (email: string) =>
      `A mail with a link to choose a password goes to ${email}, if the server can send mails. If none comes, ask whoever runs the server for the link.`,
    kept: 'Nobody gets a mail: this server has no mail server.',
    keptText: (email: string) =>
      `The link to choose a password is in a file instead: the newest one that ends in .eml, in the folder “mail” in the data folder of the server. Whoever runs the server opens it and gives the link to ${email}. It works once, for seven days.`,
    keptSetting: 'Mails go out if the server starts with a mail server:',
    noMail: 'No mail is sent. When the person is to sign in with a password, send the invitation below.',
    next: 'The permissions below say what the user may do. What comes next?',
    another: 'Invite another user',
    all: 'All users',
    half: (sentence: string) => `The user is added, but one permission is missing. ${sentence}`,
  },
  de: {
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
    roleDefault: 'Jeder neue Benutzer ist zuerst Mitglied. Du kannst das später ändern.',
    further: 'Ein zweites Recht geben',
    furtherHint:
      'Etwa die Rolle Administrator auf dem Konto der Anwendung „Benutzer und Webhooks“, für jemanden, der Benutzer verwaltet.',
    send: 'Einladen',
    addOnly: 'Ohne E-Mail hinzufügen',
    cancel: 'Abbrechen',
    added: 'Der Benutzer ist hinzugefügt.',
    again: 'Links früherer Einladungen funktionieren nicht mehr.',
    sent: (email) =>
      `Eine E-Mail mit einem Link, um ein Passwort zu wählen, geht an ${email}. Der Link gilt einmal und sieben Tage lang.`,
    unsure: (email) =>
      `Eine E-Mail mit einem Link, um ein Passwort zu wählen, geht an ${email}, wenn der Server E-Mails senden kann. Kommt keine, frag den Betreiber des Servers nach dem Link.`,
    kept: 'Niemand bekommt eine E-Mail: Dieser Server hat keinen Mailserver.',
    keptText: (email) =>
      `Der Link, um ein Passwort zu wählen, steht stattdessen in einer Datei: in der neuesten mit der Endung .eml, im Ordner „mail“ im Datenordner des Servers. Der Betreiber des Servers öffnet sie und gibt ${email} den Link. Er gilt einmal und sieben Tage lang.`,
    keptSetting: 'E-Mails gehen hinaus, wenn der Server mit einem Mailserver startet:',
    noMail:
      'Es wird keine E-Mail gesendet. Sende unten die Einladung, wenn sich die Person mit Passwort anmelden soll.',
    next: 'Die Rechte unten sagen, was der Benutzer darf. Wie geht es weiter?',
    another: 'Noch jemanden einladen',
    all: 'Alle Benutzer',
    half: (sentence) => `Der Benutzer ist hinzugefügt, aber ein Recht fehlt. ${sentence}`,
  },
})
