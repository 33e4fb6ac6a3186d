import type { Texts } from '../../texts/language.js'
import { ACTIONS, type ActionObject, type AuditAction, type Verb } from './actions.js'

interface ActionTexts {
  /** The infinitive, and the form for what is done. */
  readonly verbs: Readonly<Record<Verb, readonly [string, string]>>
  /** `#` stands for the name of the target. */
  readonly objects: Readonly<Record<ActionObject, string>>
  /** A sentence in which `@` stands for the actor. */
  readonly done: (verb: readonly [string, string], object: string) => string
  readonly refused: (verb: readonly [string, string], object: string) => string
  /** The name of an action in a list of them. */
  readonly title: (infinitive: string, object: string) => string
}

export const ACTION_TEXTS: Texts<ActionTexts> = {
  en: {
    verbs: {
      add: ['add', 'added'],
      change: ['change', 'changed'],
      create: ['create', 'created'],
      delete: ['delete', 'deleted'],
      disable: ['disable', 'disabled'],
      enable: ['enable', 'enabled'],
      get: ['get', 'got'],
      'hand-over': ['hand over', 'handed over'],
      invite: ['invite', 'invited'],
      move: ['move', 'moved'],
      prepare: ['prepare', 'prepared'],
      process: ['process', 'processed'],
      renew: ['renew', 'renewed'],
      replace: ['replace', 'replaced'],
      request: ['request', 'requested'],
      resend: ['send again', 'sent again'],
      resume: ['resume', 'resumed'],
      revoke: ['revoke', 'revoked'],
      rotate: ['renew', 'renewed'],
      set: ['set', 'set'],
      'sign-in': ['sign in', 'signed in'],
      suspend: ['suspend', 'suspended'],
      test: ['test', 'tested'],
      toggle: ['suspend or resume', 'suspended or resumed'],
      upload: ['upload', 'uploaded'],
      use: ['use', 'used'],
    },
    objects: {
      account: 'the account #',
      'api-key': 'the API key #',
      'as-user': 'as the user #',
      company: 'the company #',
      context: 'the GPT #',
      'contexts-of': 'the GPTs of the user #',
      delivery: 'the webhook, as delivery #',
      destination: 'the destination #',
      document: 'the document #',
      'document-again': 'the document # again',
      otp: 'one-time passwords of the user #',
      password: 'the password of the user #',
      'password-for': 'a new password for the user #',
      permission: 'the permission #',
      'recovery-code': 'a recovery code of the user #',
      'recovery-codes': 'the recovery codes of the user #',
      role: 'the role #',
      'role-of': 'the role of the permission #',
      'secret-of': 'the secret of the destination #',
      'sharing-of': 'the sharing of the GPT #',
      'signing-key': 'the signing key of tokens',
      'token-of': 'a token of the API key #',
      'token-with': 'a token with the API key #',
      user: 'the user #',
      'user-again': 'the user # again',
    },
    done: ([, past], object) => `@ ${past} ${object}.`,
    refused: ([infinitive], object) => `@ tried to ${infinitive} ${object}.`,
    title: (infinitive, object) => `${infinitive} ${object}`,
  },
  de: {
    verbs: {
      add: ['hinzufügen', 'hinzugefügt'],
      change: ['ändern', 'geändert'],
      create: ['anlegen', 'angelegt'],
      delete: ['löschen', 'gelöscht'],
      disable: ['deaktivieren', 'deaktiviert'],
      enable: ['aktivieren', 'aktiviert'],
      get: ['bekommen', 'bekommen'],
      'hand-over': ['übergeben', 'übergeben'],
      invite: ['einladen', 'eingeladen'],
      move: ['verschieben', 'verschoben'],
      prepare: ['vorbereiten', 'vorbereitet'],
      process: ['verarbeiten', 'verarbeitet'],
      renew: ['erneuern', 'erneuert'],
      replace: ['ersetzen', 'ersetzt'],
      request: ['anfordern', 'angefordert'],
      resend: ['noch einmal schicken', 'noch einmal geschickt'],
      resume: ['wieder einsetzen', 'wieder eingesetzt'],
      revoke: ['widerrufen', 'widerrufen'],
      rotate: ['erneuern', 'erneuert'],
      set: ['setzen', 'gesetzt'],
      'sign-in': ['anmelden', 'angemeldet'],
      suspend: ['aussetzen', 'ausgesetzt'],
      test: ['testen', 'getestet'],
      toggle: ['aussetzen oder wieder einsetzen', 'ausgesetzt oder wieder eingesetzt'],
      upload: ['hochladen', 'hochgeladen'],
      use: ['benutzen', 'benutzt'],
    },
    objects: {
      account: 'das Konto #',
      'api-key': 'den API-Schlüssel #',
      'as-user': 'sich als Benutzer #',
      company: 'die Firma #',
      context: 'den GPT #',
      'contexts-of': 'die GPTs des Benutzers #',
      delivery: 'den Webhook, als Zustellung #,',
      destination: 'das Ziel #',
      document: 'das Dokument #',
      'document-again': 'das Dokument # noch einmal',
      otp: 'Einmal-Passwörter des Benutzers #',
      password: 'das Passwort des Benutzers #',
      'password-for': 'ein neues Passwort für den Benutzer #',
      permission: 'das Recht #',
      'recovery-code': 'einen Wiederherstellungscode des Benutzers #',
      'recovery-codes': 'die Wiederherstellungscodes des Benutzers #',
      role: 'die Rolle #',
      'role-of': 'die Rolle des Rechts #',
      'secret-of': 'das Geheimnis des Ziels #',
      'sharing-of': 'die Freigabe des GPTs #',
      'signing-key': 'den Schlüssel für Tokens',
      'token-of': 'ein Token des API-Schlüssels #',
      'token-with': 'ein Token mit dem API-Schlüssel #',
      user: 'den Benutzer #',
      'user-again': 'den Benutzer # noch einmal',
    },
    done: ([, participle], object) => `@ hat ${object} ${participle}.`,
    refused: ([infinitive], object) => `@ wollte ${object} ${infinitive}.`,
    title: (infinitive, object) => `${object} ${infinitive}`,
  },
}

/** The sentence of an entry, with `@` for the actor and `#` for the target. */
export function sentenceOf(texts: ActionTexts, action: AuditAction, isDone: boolean): string {
  const [verb, object] = ACTIONS[action]
  return (isDone ? texts.done : texts.refused)(texts.verbs[verb], texts.objects[object])
}

/** The name of an action without a target, such as "Create the GPT". */
export function titleOf(texts: ActionTexts, action: AuditAction): string {
  const [verb, object] = ACTIONS[action]
  const title = texts.title(texts.verbs[verb][0], texts.objects[object].replace(/ #,?/, ''))
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}
