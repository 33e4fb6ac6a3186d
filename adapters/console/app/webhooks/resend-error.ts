import { AlcoveApiError } from '../api/api.js'
import { useErrorText } from '../api/error-texts.js'
import { type Texts, useTexts } from '../texts/language.js'

const TEXTS: Texts<{ readonly disabled: string }> = {
  en: { disabled: 'The destination is disabled. Enable it first.' },
  de: { disabled: 'Das Ziel ist abgeschaltet. Schalte es zuerst ein.' },
}

/** A function that says why a delivery could not be sent again. */
export function useResendErrorText(): (error: unknown) => string {
  const { disabled } = useTexts(TEXTS)
  const errorText = useErrorText()
  return (error) =>
    error instanceof AlcoveApiError && error.code === 'ERR_INVALID_INPUT' ? disabled : errorText(error)
}
