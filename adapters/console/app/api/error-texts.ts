import { AlcoveApiError, AlcoveClientError, DocumentProcessingError } from '../../../client/index.js'
import { phraseOf, phrases, useTexts } from '../texts/phrases.js'
import { sentence } from './sentence.js'
import { useKnownReason } from './use-reason.js'

/** An error as the page says it. */
interface SaidError {
  /** A sentence with what to do. */
  readonly text: string
  /** The reason of the server in the language of the user, if it has facts that the text does not have. */
  readonly reason?: string
  /** The server's own sentence, in English, if it has such facts and no reason that the page knows. */
  readonly detail?: string
  /** True if the text says too little without the detail. */
  readonly isDetailNeeded?: boolean
}

/** Codes whose messages, or reasons, say which entry, or which other thing, is in the way. */
const NEED_DETAIL: ReadonlySet<string> = new Set(['ERR_INVALID_INPUT', 'ERR_ALREADY_EXISTS', 'ERR_IN_USE'])
/** Codes whose messages have names or numbers. */
const HAVE_DETAIL: ReadonlySet<string> = new Set([
  'ERR_FORBIDDEN',
  'ERR_LIMIT_REACHED',
  'ERR_QUOTA_EXCEEDED',
  'ERR_THROTTLED',
  'ERR_DESTINATION_REFUSED',
  'ERR_MODEL_UNKNOWN',
])

/** A function that says an error as a sentence with what to do, and the server's reason where that tells more. */
export function useSaidError(): (error: unknown) => SaidError {
  const texts = useTexts(ERROR_CODE_TEXTS)
  const say = useKnownReason()
  return (error) => {
    if (error instanceof AlcoveApiError) {
      const { code, status, message, field } = error
      const thing = phraseOf(texts.things, code)
      const known = thing === undefined ? phraseOf(texts.codes, code) : texts.gone(thing)
      const detail = sentence(message)
      const reason = say(error.reason)
      // It says what to do: the sentence of the code would ask for another entry.
      if (reason !== undefined && error.reason?.code === 'destination-disabled') return { text: reason }
      if (known !== undefined) {
        const isDetailNeeded = NEED_DETAIL.has(code) || error.reason?.code === 'refused-by-host'
        if (!isDetailNeeded && !HAVE_DETAIL.has(code)) return { text: known }
        if (reason === undefined) return { text: known, detail, isDetailNeeded }
        return { text: known, reason: field === undefined ? reason : `${field}: ${reason}` }
      }
      // The message of an internal failure has no facts: the server keeps them in its log.
      return status >= 500 ? { text: texts.failed(code) } : { text: texts.refused, detail, isDetailNeeded: true }
    }
    if (error instanceof DocumentProcessingError) {
      return { text: texts.refused, detail: sentence(error.message), isDetailNeeded: true }
    }
    if (error instanceof AlcoveClientError && error.code === 'ERR_UNREACHABLE') return { text: texts.unreachable }
    return { text: texts.unexpected, detail: sentence(error instanceof Error ? error.message : String(error)) }
  }
}

/** As {@link useSaidError}, in one text: for a place that has no room for the server's own sentences. */
export function useErrorText(): (error: unknown) => string {
  const said = useSaidError()
  return (error) => {
    const { text, reason, detail, isDetailNeeded } = said(error)
    const fact = reason ?? (isDetailNeeded === true ? detail : undefined)
    return fact === undefined ? text : `${text} (${fact})`
  }
}

/** The meaning of each code of the REST API for somebody in front of the page, and the way out. */
export const ERROR_CODE_TEXTS = phrases({
  en: {
    unreachable: 'The server does not answer. Check that it runs and that you are online, then try again.',
    unexpected: 'Something unexpected happened. Reload the page and try again.',
    /** A refusal with a code that has no sentence here. */
    refused: 'The server refuses this. Read its reason, change what it names, and try again.',
    /** A failure of the server with a code that has no sentence here. */
    failed: (code: string) =>
      `The server has made a mistake (${code}). Try again. If it fails again, tell the operator.`,
    /** @param thing one of `things` */
    gone: (thing: string) => `${thing} does not exist any more, or you may not see it. Go back to the list.`,
    /** The object that a code says is missing. */
    things: {
      ERR_CONTEXT_NOT_FOUND: 'The GPT',
      ERR_DOCUMENT_NOT_FOUND: 'The document',
      ERR_COMPANY_NOT_FOUND: 'The company',
      ERR_ACCOUNT_NOT_FOUND: 'The account',
      ERR_ROLE_NOT_FOUND: 'The role',
      ERR_USER_NOT_FOUND: 'The user',
      ERR_PERMISSION_NOT_FOUND: 'The permission',
      ERR_API_KEY_NOT_FOUND: 'The API key',
      ERR_DESTINATION_NOT_FOUND: 'The destination',
      ERR_DELIVERY_NOT_FOUND: 'The delivery',
    },
    /** Sentences by error code. */
    codes: {
      ERR_INVALID_INPUT: 'The server does not take an entry. Its reason names it: correct it, then try again.',
      ERR_ALREADY_EXISTS: 'This exists already. Use the existing one, or choose another name, address or URL.',
      ERR_IN_USE: 'This is still in use. Do first what the server says, then try again.',
      ERR_LAST_MANAGER: 'The company would have nobody left who can manage it. Let somebody else manage it first.',
      ERR_UNAUTHENTICATED: 'You are not signed in any more. Sign in again.',
      ERR_FORBIDDEN: 'You may not do this. Ask somebody who manages users to give you the right.',
      ERR_COMPANY_REQUIRED: 'Several companies know this address. Enter the number of yours, and sign in again.',
      ERR_LIMIT_REACHED: 'No more of these are possible. Delete some, or ask the operator for a higher limit.',
      ERR_NOT_READY: 'The document is still being read. Wait until it is complete, then try again.',
      ERR_DOCUMENT_FAILED: 'The document could not be read, so it has no text. Its page says why.',
      ERR_QUOTA_EXCEEDED: 'There is no room for this. Delete documents, or ask the operator for more room.',
      ERR_THROTTLED: 'The server gets too many requests at once. Wait a moment, then try again.',
      ERR_UNAVAILABLE: 'The server cannot do this now. Wait a moment, then try again.',
      ERR_BUSY: 'The server has too much to do. Wait a moment, then try again.',
      ERR_CLOSED: 'The server is being stopped. Wait until it runs again, then try again.',
      ERR_TOO_SLOW: 'The data came too slowly, so the server gave up. Try again with a faster connection.',
      ERR_BODY_TOO_LARGE: 'This is larger than the server takes. Shorten or split it.',
      ERR_STORAGE: 'The database of the server does not work. Tell the operator, and try again later.',
      ERR_STORAGE_FULL:
        'The disk of the server is full, and nothing was saved. Tell the operator, and try again later.',
      ERR_STORAGE_READ_ONLY:
        'The disk of the server is read-only, and nothing was saved. Tell the operator, and try again later.',
      ERR_MODEL_UNKNOWN: 'The server does not have this model. Choose another one, or have the operator add it.',
      ERR_MODEL_UNAVAILABLE: 'The model that makes texts searchable does not answer. Tell the operator, and try later.',
      ERR_MODEL_REFUSED: 'The model that makes texts searchable refuses to work. Tell the operator.',
      ERR_MODEL_CHANGED: 'The model that makes texts searchable has changed. Tell the operator.',
      ERR_DESTINATION_REFUSED: 'Alcove does not contact this address. Use a public HTTPS address.',
      ERR_SECRET_UNREADABLE: 'The server cannot read the stored secret. Make a new secret, then try again.',
      ERR_PATH_NOT_FOUND:
        'The server does not know this. Page and server may have different versions: reload the page.',
      ERR_METHOD_NOT_ALLOWED:
        'The server does not know this. Page and server may have different versions: reload the page.',
      ERR_HTTP: 'The answer is not from Alcove, but perhaps from a proxy. Try again, or tell the operator.',
    },
  },
  de: {
    unreachable: 'Der Server antwortet nicht. Prüfe, ob er läuft und du online bist, und versuche es noch einmal.',
    unexpected: 'Etwas Unerwartetes ist passiert. Lade die Seite neu und versuche es noch einmal.',
    refused: 'Der Server lehnt das ab. Lies seinen Grund, ändere, was er nennt, und versuche es noch einmal.',
    failed: (code) =>
      `Der Server hat einen Fehler gemacht (${code}). Versuche es noch einmal. Wenn es wieder fehlschlägt, sag dem Betreiber Bescheid.`,
    gone: (thing) => `${thing} gibt es nicht mehr, oder dir fehlt das Recht darauf. Geh zurück zur Liste.`,
    things: {
      ERR_CONTEXT_NOT_FOUND: 'Dieses GPT',
      ERR_DOCUMENT_NOT_FOUND: 'Dieses Dokument',
      ERR_COMPANY_NOT_FOUND: 'Diese Firma',
      ERR_ACCOUNT_NOT_FOUND: 'Dieses Konto',
      ERR_ROLE_NOT_FOUND: 'Diese Rolle',
      ERR_USER_NOT_FOUND: 'Diesen Benutzer',
      ERR_PERMISSION_NOT_FOUND: 'Dieses Recht',
      ERR_API_KEY_NOT_FOUND: 'Diesen API-Schlüssel',
      ERR_DESTINATION_NOT_FOUND: 'Dieses Ziel',
      ERR_DELIVERY_NOT_FOUND: 'Diese Zustellung',
    },
    codes: {
      ERR_INVALID_INPUT:
        'Der Server nimmt eine Angabe nicht an. Sein Grund nennt sie: Berichtige sie und versuche es noch einmal.',
      ERR_ALREADY_EXISTS:
        'Das gibt es schon. Nimm das Vorhandene oder wähle einen anderen Namen, eine andere Adresse oder URL.',
      ERR_IN_USE: 'Das wird noch gebraucht. Tu zuerst, was der Server sagt, und versuche es dann noch einmal.',
      ERR_LAST_MANAGER:
        'Die Firma hätte dann niemanden mehr, der sie verwaltet. Lass sie vorher jemand anderen verwalten.',
      ERR_UNAUTHENTICATED: 'Du bist nicht mehr angemeldet. Melde dich noch einmal an.',
      ERR_FORBIDDEN: 'Das darfst du nicht. Bitte jemanden, der Benutzer verwaltet, um das Recht.',
      ERR_COMPANY_REQUIRED:
        'Mehrere Firmen kennen diese Adresse. Gib die Nummer deiner Firma ein und melde dich noch einmal an.',
      ERR_LIMIT_REACHED:
        'Mehr davon sind nicht möglich. Lösche welche, oder bitte den Betreiber um eine höhere Grenze.',
      ERR_NOT_READY: 'Das Dokument wird noch gelesen. Warte, bis es fertig ist, und versuche es noch einmal.',
      ERR_DOCUMENT_FAILED:
        'Das Dokument ließ sich nicht lesen, deshalb hat es keinen Text. Seine Seite sagt den Grund.',
      ERR_QUOTA_EXCEEDED: 'Dafür ist kein Platz. Lösche Dokumente, oder bitte den Betreiber um mehr Platz.',
      ERR_THROTTLED: 'Der Server bekommt zu viele Anfragen auf einmal. Warte kurz und versuche es noch einmal.',
      ERR_UNAVAILABLE: 'Der Server kann das gerade nicht. Warte kurz und versuche es noch einmal.',
      ERR_BUSY: 'Der Server hat zu viel zu tun. Warte kurz und versuche es noch einmal.',
      ERR_CLOSED: 'Der Server wird gerade angehalten. Warte, bis er wieder läuft, und versuche es noch einmal.',
      ERR_TOO_SLOW:
        'Die Daten kamen zu langsam an, und der Server hat aufgegeben. Versuche es mit einer schnelleren Verbindung.',
      ERR_BODY_TOO_LARGE: 'Das ist größer, als der Server erlaubt. Kürze oder teile es.',
      ERR_STORAGE:
        'Die Datenbank des Servers funktioniert nicht. Sag dem Betreiber Bescheid und versuche es später noch einmal.',
      ERR_STORAGE_FULL:
        'Die Festplatte des Servers ist voll, und nichts wurde gespeichert. Sag dem Betreiber Bescheid und versuche es später noch einmal.',
      ERR_STORAGE_READ_ONLY:
        'Die Festplatte des Servers lässt sich nicht beschreiben, und nichts wurde gespeichert. Sag dem Betreiber Bescheid und versuche es später noch einmal.',
      ERR_MODEL_UNKNOWN: 'Dieses Modell hat der Server nicht. Wähle ein anderes oder lass es den Betreiber hinzufügen.',
      ERR_MODEL_UNAVAILABLE:
        'Das Modell, das Texte durchsuchbar macht, antwortet nicht. Sag dem Betreiber Bescheid und versuche es später noch einmal.',
      ERR_MODEL_REFUSED: 'Das Modell, das Texte durchsuchbar macht, verweigert die Arbeit. Sag dem Betreiber Bescheid.',
      ERR_MODEL_CHANGED: 'Das Modell, das Texte durchsuchbar macht, hat sich geändert. Sag dem Betreiber Bescheid.',
      ERR_DESTINATION_REFUSED: 'Diese Adresse spricht Alcove nicht an. Nimm eine öffentliche HTTPS-Adresse.',
      ERR_SECRET_UNREADABLE:
        'Der Server kann das gespeicherte Secret nicht lesen. Erzeuge ein neues Secret und versuche es noch einmal.',
      ERR_PATH_NOT_FOUND:
        'Der Server kennt das nicht. Vielleicht haben Seite und Server verschiedene Versionen: Lade die Seite neu.',
      ERR_METHOD_NOT_ALLOWED:
        'Der Server kennt das nicht. Vielleicht haben Seite und Server verschiedene Versionen: Lade die Seite neu.',
      ERR_HTTP:
        'Die Antwort ist nicht von Alcove, sondern vielleicht von einem Proxy. Versuche es noch einmal, oder sag dem Betreiber Bescheid.',
    },
  },
})
