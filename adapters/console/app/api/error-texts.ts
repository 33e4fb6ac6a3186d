import { AlcoveApiError, AlcoveClientError, DocumentProcessingError } from '../../../client/index.js'
import { phraseOf, useTexts } from '../texts/phrases.js'
import { ERROR_CODE_TEXTS } from './error-code-texts.js'

/** An error as the page says it. */
export interface SaidError {
  /** A sentence with what to do. */
  readonly text: string
  /** The server's own sentence, in English, if it has facts that the text does not have. */
  readonly detail?: string
  /** True if the text says too little without the detail. */
  readonly isDetailNeeded?: boolean
}

/** Codes whose messages say which entry, or which other thing, is in the way. */
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

/** A function that says an error as a sentence with what to do, and the server's sentence where that tells more. */
export function useSaidError(): (error: unknown) => SaidError {
  const texts = useTexts(ERROR_CODE_TEXTS)
  return (error) => {
    if (error instanceof AlcoveApiError) {
      const { code, status, message } = error
      const thing = phraseOf(texts.things, code)
      const known = thing === undefined ? phraseOf(texts.codes, code) : texts.gone(thing)
      const detail = sentence(message)
      if (known !== undefined) {
        const isDetailNeeded = NEED_DETAIL.has(code)
        return isDetailNeeded || HAVE_DETAIL.has(code) ? { text: known, detail, isDetailNeeded } : { text: known }
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

/** As {@link useSaidError}, in one text: for a place that has no room for details. */
export function useErrorText(): (error: unknown) => string {
  const said = useSaidError()
  return (error) => {
    const { text, detail, isDetailNeeded } = said(error)
    return detail !== undefined && isDetailNeeded === true ? `${text} (${detail})` : text
  }
}

/** The server's messages begin with a small letter and have no full stop. */
export function sentence(message: string): string {
  const text = message.trim()
  const first = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
