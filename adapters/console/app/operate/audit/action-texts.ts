import { phraseOf, phrases } from '../../texts/phrases.js'
import { ACTIONS, type AuditAction, type AuditEntry } from './actions.js'

export const ACTION_TEXTS = phrases({
  en: {
    /** The infinitive, and the form for what is done. */
    verbs: {
      add: ['add', 'added'],
      change: ['change', 'changed'],
      create: ['create', 'created'],
      delete: ['delete', 'deleted'],
      disable: ['disable', 'disabled'],
      enable: ['enable', 'enabled'],
      'hand-over': ['hand over', 'handed over'],
      invite: ['invite', 'invited'],
      move: ['move', 'moved'],
      prepare: ['prepare', 'prepared'],
      process: ['process', 'processed'],
      renew: ['renew', 'renewed'],
      replace: ['replace', 'replaced'],
      request: ['request', 'requested'],
      resend: ['resend', 'resent'],
      resume: ['resume', 'resumed'],
      revoke: ['revoke', 'revoked'],
      rotate: ['renew', 'renewed'],
      set: ['set', 'set'],
      'sign-in': ['sign in', 'signed in'],
      'sign-in-by-key': ['sign in', 'signed in'],
      suspend: ['suspend', 'suspended'],
      test: ['test', 'tested'],
      toggle: ['suspend or resume', 'suspended or resumed'],
      upload: ['upload', 'uploaded'],
      use: ['use', 'used'],
    },
    /** `#` stands for the name of the target. */
    objects: {
      account: 'the account #',
      'api-key': 'the API key #',
      'as-user': 'as the user #',
      'by-key': 'with, or to get a token for, the API key #',
      company: 'the company #',
      context: 'the GPT #',
      'contexts-of': 'the GPTs of the user #',
      delivery: 'a delivery (new number #)',
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
      user: 'the user #',
      'user-again': 'the user # again',
    },
    /** For entries that have all the details in braces. The braces stand for their names. */
    detailed: {
      account: 'the account # of the company {companyId}',
      'api-key': 'the API key # of the user {userId}',
      company: 'the company # from {oldParentId} to {newParentId}',
      context: 'the GPT # of the user {oldUserId} to the user {newUserId}',
      'contexts-of': 'the GPTs of the user # to the user {newUserId}',
      delivery: 'a delivery to the destination {destinationId} (new number #)',
      document: 'the document # of the GPT {contextId}',
      'document-again': 'the document # of the GPT {contextId} again',
      permission: 'the permission of the user {userId} with the role {roleId} on the account {accountId}',
      'role-of': 'the role of the user {userId} on the account {accountId} from {oldRoleId} to {newRoleId}',
    },
    /** A sentence in which `@` stands for the actor. */
    done: ([, past]: readonly [string, string], object: string) => `@ ${past} ${object}.`,
    refused: ([infinitive]: readonly [string, string], object: string) => `@ tried to ${infinitive} ${object}.`,
    /** The name of an action in a list of them. */
    title: (infinitive: string, object: string) => `${infinitive} ${object}`,
  },
  de: {
    verbs: {
      add: ['hinzufügen', 'hinzugefügt'],
      change: ['ändern', 'geändert'],
      create: ['erstellen', 'erstellt'],
      delete: ['löschen', 'gelöscht'],
      disable: ['deaktivieren', 'deaktiviert'],
      enable: ['aktivieren', 'aktiviert'],
      'hand-over': ['übergeben', 'übergeben'],
      invite: ['einladen', 'eingeladen'],
      move: ['verschieben', 'verschoben'],
      prepare: ['vorbereiten', 'vorbereitet'],
      process: ['verarbeiten', 'verarbeitet'],
      renew: ['erneuern', 'erneuert'],
      replace: ['ersetzen', 'ersetzt'],
      request: ['anfordern', 'angefordert'],
      resend: ['noch einmal senden', 'noch einmal gesendet'],
      resume: ['wieder aktivieren', 'wieder aktiviert'],
      revoke: ['widerrufen', 'widerrufen'],
      rotate: ['erneuern', 'erneuert'],
      set: ['setzen', 'gesetzt'],
      'sign-in': ['anmelden', 'angemeldet'],
      'sign-in-by-key': ['anmelden oder ein Token dafür holen', 'angemeldet'],
      suspend: ['aussetzen', 'ausgesetzt'],
      test: ['testen', 'getestet'],
      toggle: ['aussetzen oder wieder aktivieren', 'ausgesetzt oder wieder aktiviert'],
      upload: ['hochladen', 'hochgeladen'],
      use: ['benutzen', 'benutzt'],
    },
    objects: {
      account: 'das Konto #',
      'api-key': 'den API-Schlüssel #',
      'as-user': 'sich als Benutzer #',
      'by-key': 'sich mit dem API-Schlüssel #',
      company: 'die Firma #',
      context: 'das GPT #',
      'contexts-of': 'die GPTs des Benutzers #',
      delivery: 'eine Zustellung (neue Nummer #)',
      destination: 'das Ziel #',
      document: 'das Dokument #',
      'document-again': 'das Dokument # noch einmal',
      otp: 'Einmalcodes des Benutzers #',
      password: 'das Passwort des Benutzers #',
      'password-for': 'ein neues Passwort für den Benutzer #',
      permission: 'das Recht #',
      'recovery-code': 'einen Wiederherstellungscode des Benutzers #',
      'recovery-codes': 'die Wiederherstellungscodes des Benutzers #',
      role: 'die Rolle #',
      'role-of': 'die Rolle des Rechts #',
      'secret-of': 'das Secret des Ziels #',
      'sharing-of': 'die Freigabe des GPTs #',
      'signing-key': 'den Schlüssel für Tokens',
      'token-of': 'ein Token des API-Schlüssels #',
      user: 'den Benutzer #',
      'user-again': 'den Benutzer # noch einmal',
    },
    detailed: {
      account: 'das Konto # der Firma {companyId}',
      'api-key': 'den API-Schlüssel # des Benutzers {userId}',
      company: 'die Firma # von {oldParentId} zu {newParentId}',
      context: 'das GPT # des Benutzers {oldUserId} dem Benutzer {newUserId}',
      'contexts-of': 'die GPTs des Benutzers # dem Benutzer {newUserId}',
      delivery: 'eine Zustellung an das Ziel {destinationId} (neue Nummer #)',
      document: 'das Dokument # des GPTs {contextId}',
      'document-again': 'das Dokument # des GPTs {contextId} noch einmal',
      permission: 'das Recht des Benutzers {userId} mit der Rolle {roleId} auf dem Konto {accountId}',
      'role-of': 'die Rolle des Benutzers {userId} auf dem Konto {accountId} von {oldRoleId} zu {newRoleId}',
    },
    done: ([, participle], object) => `@ hat ${object} ${participle}.`,
    refused: ([infinitive], object) => `@ wollte ${object} ${infinitive}.`,
    title: (infinitive, object) => `${object} ${infinitive}`,
  },
})

/** The id that an entry has by this name, in its details or as its company. */
export function idOf({ details, companyId }: AuditEntry, name: string): number | null {
  const id = name === 'companyId' ? companyId : details[name]
  return typeof id === 'number' ? id : null
}

/** The sentence of an entry, with `@` for the actor, `#` for the target and details in braces. */
export function sentenceOf(texts: (typeof ACTION_TEXTS)['en'], entry: AuditEntry): string {
  const { action, outcome } = entry
  const [verb, object] = ACTIONS[action]
  const detailed = phraseOf(texts.detailed, object)
  const needed = [...(detailed ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const isDetailed = detailed !== undefined && needed.every((name) => idOf(entry, name) !== null)
  const text = isDetailed ? detailed : texts.objects[object]
  return (outcome === 'done' ? texts.done : texts.refused)(texts.verbs[verb], text)
}

/** The name of an action without a target, such as "Create the GPT". */
export function titleOf(texts: (typeof ACTION_TEXTS)['en'], action: AuditAction): string {
  const [verb, object] = ACTIONS[action]
  const title = texts.title(texts.verbs[verb][0], texts.objects[object].replace(/ (?:#|\([^)]*#\))/, ''))
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}
