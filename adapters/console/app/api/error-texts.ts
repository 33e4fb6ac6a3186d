import { AlcoveApiError, AlcoveClientError, DocumentProcessingError } from '../../../client/index.js'
import { type Texts, useTexts } from '../texts/language.js'

interface ErrorTexts {
  readonly unreachable: string
  readonly unexpected: (message: string) => string
  /** Sentences by error code. The server's own sentence stands for every other code. */
  readonly codes: Readonly<Record<string, string>>
}

const TEXTS: Texts<ErrorTexts> = {
  en: {
    unreachable: 'The server does not answer. Check that it runs and that you are online, then try again.',
    unexpected: (message) => `Something unexpected happened: ${message}. Reload the page and try again.`,
    codes: {
      ERR_UNAUTHENTICATED: 'You are not signed in any more. Sign in again.',
      ERR_FORBIDDEN: 'You may not do this. Ask somebody who manages users to give you the right.',
      ERR_LAST_MANAGER: 'The company would have nobody left who can manage it. Let somebody else manage it first.',
      ERR_THROTTLED: 'The server gets too many requests at once. Wait a moment, then try again.',
      ERR_UNAVAILABLE: 'The server cannot do this now. Wait a moment, then try again.',
    },
  },
  de: {
    unreachable: 'Der Server antwortet nicht. Prüfe, ob er läuft und du online bist, und versuche es noch einmal.',
    unexpected: (message) =>
      `Etwas Unerwartetes ist passiert: ${message}. Lade die Seite neu und versuche es noch einmal.`,
    codes: {
      ERR_UNAUTHENTICATED: 'Du bist nicht mehr angemeldet. Melde dich noch einmal an.',
      ERR_FORBIDDEN: 'Das darfst du nicht. Bitte jemanden, der Benutzer verwaltet, um das Recht.',
      ERR_LAST_MANAGER:
        'Die Firma hätte dann niemanden mehr, der sie verwaltet. Lass sie vorher jemand anderen verwalten.',
      ERR_THROTTLED: 'Der Server bekommt zu viele Anfragen auf einmal. Warte kurz und versuche es noch einmal.',
      ERR_UNAVAILABLE: 'Der Server kann das gerade nicht. Warte kurz und versuche es noch einmal.',
    },
  },
}

/** A function that says an error as a sentence with what to do. */
export function useErrorText(): (error: unknown) => string {
  const { unreachable, unexpected, codes } = useTexts(TEXTS)
  return (error) => {
    if (error instanceof AlcoveApiError) {
      const known = codes[error.code]
      return known === undefined ? sentence(error.message) : `${known} (${error.message})`
    }
    if (error instanceof DocumentProcessingError) return sentence(error.message)
    if (error instanceof AlcoveClientError && error.code === 'ERR_UNREACHABLE') return unreachable
    return unexpected(error instanceof Error ? error.message : String(error))
  }
}

/** The server's messages begin with a small letter and have no full stop. */
export function sentence(message: string): string {
  const text = message.trim()
  const first = text.slice(0, 1).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
