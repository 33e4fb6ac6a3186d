import { AlcoveApiError } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'

const TEXTS = phrases({
  en: { disabled: 'The destination is disabled. Enable it first.' },
  de: { disabled: 'Das Ziel ist deaktiviert. Aktiviere es zuerst.' },
})

/** A function that says that the destination is disabled; undefined for an error of another reason. */
export function useDisabledText(): (error: unknown) => string | undefined {
  const { disabled } = useTexts(TEXTS)
  return (error) => (isDisabledError(error) ? disabled : undefined)
}

function isDisabledError(error: unknown): boolean {
  return (
    error instanceof AlcoveApiError && error.code === 'ERR_INVALID_INPUT' && error.message.startsWith('destination')
  )
}
