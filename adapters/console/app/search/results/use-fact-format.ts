import { useFormat } from '../../texts/format.js'
import { useLanguage } from '../../texts/phrases.js'
import type { FactFormat } from './reason-texts.js'

/** Numbers, shares and scores in the language of the user. */
export function useFactFormat(): FactFormat {
  const { language } = useLanguage()
  const { number, percent } = useFormat()
  const score = (value: number, digits = 3): string =>
    new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)
  return { number, percent, score }
}
