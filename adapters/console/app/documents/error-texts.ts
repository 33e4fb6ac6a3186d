import { AlcoveApiError, DocumentProcessingError } from '../../../client/index.js'
import { useErrorText } from '../api/error-texts.js'
import { sentence } from '../api/sentence.js'
import { useKnownReason } from '../api/use-reason.js'
import { phraseOf, phrases, useTexts } from '../texts/phrases.js'
import type { Told } from './document.js'
import { FORMATS } from './texts.js'
import { FileGoneError } from './work/upload-queue.js'

/** Codes of a file that the server refuses each time. */
const FINAL: ReadonlySet<string> = new Set([
  'ERR_UNSUPPORTED_FORMAT',
  'ERR_WRONG_TYPE',
  'ERR_EMPTY_FILE',
  'ERR_ENCRYPTED',
  'ERR_CORRUPT_FILE',
  'ERR_BODY_TOO_LARGE',
])

/** True if the same file would fail again. */
export function isFinalFailure(error: unknown): boolean {
  return error instanceof AlcoveApiError && FINAL.has(error.code)
}

const TEXTS = phrases({
  en: {
    gone: 'The file cannot be read any more: it was changed, moved or deleted. Choose it again.',
    /** The server's own sentence stands for every code without a sentence here. */
    other: (message: string) => `Try again. If it fails again, tell the operator what the server says: “${message}”`,
    /** Sentences by error code. */
    codes: {
      ERR_UNSUPPORTED_FORMAT: `Files of this kind cannot be read. Save the text as one of these: ${FORMATS}.`,
      ERR_WRONG_TYPE: 'The content is of another kind than the name says. Rename the file to its true ending.',
      ERR_EMPTY_FILE: 'The file is empty. Upload a file with content.',
      ERR_NO_TEXT:
        'The file has no text that can be read. Run text recognition (OCR) over a scan; export another file again, with its fonts.',
      ERR_ENCRYPTED:
        'The file is protected, such as by a password. Save it without the protection, and upload it again.',
      ERR_CORRUPT_FILE:
        'The file is damaged and cannot be read. Save it again with the program that made it, and upload the new file.',
      ERR_UNDECODABLE_TEXT: 'The characters of the text cannot be read. Save the file as UTF-8, and upload it again.',
      ERR_EXTRACTION_LIMIT: 'The file is too large to be read as a whole. Split it, or save it in another format.',
      ERR_EXTRACTION_TIMEOUT: 'Reading the file takes too long. Save it with another program, or split it.',
      ERR_CRASHED: 'Processing has broken off several times. Try again once. If it fails again, delete the document.',
      ERR_INTERNAL: 'The server has made a mistake. Try again. If it fails again, tell the operator.',
      ERR_FILE_MISSING: 'The server has lost the file. Upload it again, and tell the operator.',
      ERR_QUOTA_EXCEEDED: 'The file does not fit any more. Delete documents, or ask the operator for more room.',
      ERR_BODY_TOO_LARGE: 'The file is larger than the server takes. Split it, or ask the operator for a higher limit.',
      ERR_LIMIT_REACHED: 'There can be no more documents here. Delete some, or ask the operator for a higher limit.',
      ERR_TOO_SLOW: 'The file came too slowly, so the server gave up. Try again with a faster connection.',
      ERR_STORAGE_FULL: 'The server has no room left. Tell the operator, and try again later.',
      ERR_STORAGE_READ_ONLY: 'The disk of the server is read-only. Tell the operator, and try again later.',
      ERR_MODEL_UNAVAILABLE:
        'The model that makes texts searchable does not answer. It goes on by itself once it does.',
    },
  },
  de: {
    gone: 'Die Datei lässt sich nicht mehr lesen: Sie wurde geändert, verschoben oder gelöscht. Wähle sie noch einmal.',
    other: (message) =>
      `Versuche es noch einmal. Wenn es wieder fehlschlägt, sag dem Betreiber, was der Server meldet: „${message}“`,
    codes: {
      ERR_UNSUPPORTED_FORMAT: `Dateien dieser Art lassen sich nicht lesen. Speichere den Text in einem dieser Formate: ${FORMATS}.`,
      ERR_WRONG_TYPE:
        'Der Inhalt ist von anderer Art, als der Name sagt. Gib der Datei die Endung, die zum Inhalt passt.',
      ERR_EMPTY_FILE: 'Die Datei ist leer. Lade eine Datei mit Inhalt hoch.',
      ERR_NO_TEXT:
        'Die Datei enthält keinen lesbaren Text. Lass über einen Scan eine Texterkennung (OCR) laufen; exportiere eine andere Datei noch einmal mit ihren Schriften.',
      ERR_ENCRYPTED:
        'Die Datei ist geschützt, etwa durch ein Passwort. Speichere sie ohne den Schutz und lade sie noch einmal hoch.',
      ERR_CORRUPT_FILE:
        'Die Datei ist beschädigt und lässt sich nicht lesen. Speichere sie noch einmal mit dem Programm, aus dem sie stammt, und lade die neue Datei hoch.',
      ERR_UNDECODABLE_TEXT:
        'Die Zeichen des Textes lassen sich nicht lesen. Speichere die Datei als UTF-8 und lade sie noch einmal hoch.',
      ERR_EXTRACTION_LIMIT:
        'Die Datei ist zu groß, um sie als Ganzes zu lesen. Teile sie, oder speichere sie in einem anderen Format.',
      ERR_EXTRACTION_TIMEOUT:
        'Das Lesen der Datei dauert zu lange. Speichere sie mit einem anderen Programm, oder teile sie.',
      ERR_CRASHED:
        'Die Verarbeitung ist mehrmals abgebrochen. Versuche es einmal neu. Wenn es wieder fehlschlägt, lösche das Dokument.',
      ERR_INTERNAL:
        'Der Server hat einen Fehler gemacht. Versuche es noch einmal. Wenn es wieder fehlschlägt, sag dem Betreiber Bescheid.',
      ERR_FILE_MISSING: 'Der Server hat die Datei verloren. Lade sie noch einmal hoch und sag dem Betreiber Bescheid.',
      ERR_QUOTA_EXCEEDED:
        'Die Datei passt nicht mehr hinein. Lösche Dokumente, oder bitte den Betreiber um mehr Platz.',
      ERR_BODY_TOO_LARGE:
        'Die Datei ist größer, als der Server erlaubt. Teile sie, oder bitte den Betreiber um eine höhere Grenze.',
      ERR_LIMIT_REACHED:
        'Mehr Dokumente sind hier nicht möglich. Lösche welche, oder bitte den Betreiber um eine höhere Grenze.',
      ERR_TOO_SLOW:
        'Die Datei kam zu langsam an, und der Server hat aufgegeben. Versuche es noch einmal mit einer schnelleren Verbindung.',
      ERR_STORAGE_FULL:
        'Der Server hat keinen Platz mehr. Sag dem Betreiber Bescheid und versuche es später noch einmal.',
      ERR_STORAGE_READ_ONLY:
        'Die Festplatte des Servers lässt sich nicht beschreiben. Sag dem Betreiber Bescheid und versuche es später noch einmal.',
      ERR_MODEL_UNAVAILABLE:
        'Das Modell, das Texte durchsuchbar macht, antwortet nicht. Sobald es antwortet, geht es von selbst weiter.',
    },
  },
})

/** A body that a proxy refuses has no code. */
const TOO_LARGE_STATUS = 413

interface DocumentErrorText {
  /** Says the error of an upload or a deletion as a sentence with what to do. */
  readonly errorText: (error: unknown) => string
  /** Says the `error` or `waiting` of a document so. */
  readonly failureText: (told: Told) => string
}

export function useDocumentErrorText(): DocumentErrorText {
  const { gone, other, codes } = useTexts(TEXTS)
  const otherErrorText = useErrorText()
  const say = useKnownReason()
  const failureText = (told: Told): string => phraseOf(codes, told.code ?? '') ?? other(serverSentence(told))
  const errorText = (error: unknown): string => {
    if (error instanceof FileGoneError) return gone
    if (error instanceof DocumentProcessingError) return failureText({ sentence: error.message, code: error.code })
    if (!(error instanceof AlcoveApiError)) return otherErrorText(error)
    const isTooLarge = error.code === 'ERR_HTTP' && error.status === TOO_LARGE_STATUS
    const known = phraseOf(codes, isTooLarge ? 'ERR_BODY_TOO_LARGE' : error.code)
    if (known === undefined) return otherErrorText(error)
    const reason = say(error.reason)
    return reason === undefined ? known : `${known} (${reason})`
  }
  return { errorText, failureText }
}

/** The server's own sentence about a document, without its code. It may know more of the file than ours. */
export function serverSentence({ sentence: told, code }: Told): string {
  const ending = ` (${code})`
  return sentence(told.endsWith(ending) ? told.slice(0, -ending.length) : told)
}
