import { AlcoveApiError } from '../api/api.js'
import { useErrorText } from '../api/error-texts.js'
import { type Texts, useTexts } from '../texts/language.js'

const TEXTS: Texts<{ readonly disabled: string }> = {
  en: { disabled: 'The destination is disabled. Enable it first.' },
  de: { disabled: 'Das Ziel ist deaktiviert. Aktiviere es zuerst.' },
}

/** A function that says why a delivery could not be sent again. */
export function useResendErrorText(): (error: unknown) => string {
  const { disabled } = useTexts(TEXTS)
  const errorText = useErrorText()
  return (error) => (isDisabledError(error) ? disabled : errorText(error))
}

/** True if a delivery is not sent again because its destination is disabled. */
export function isDisabledError(error: unknown): boolean {
  return (
    error instanceof AlcoveApiError && error.code === 'ERR_INVALID_INPUT' && error.message.startsWith('destination')
  )
}
