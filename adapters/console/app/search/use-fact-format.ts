import { useFormat } from '../texts/format.js'
import { useLanguage } from '../texts/language.js'
import type { FactFormat } from './reason-texts.js'

/** Numbers, shares and scores in the language of the user. */
export function useFactFormat(): FactFormat {
  const { language } = useLanguage()
  const { number, percent } = useFormat()
  const digits = { minimumFractionDigits: 3, maximumFractionDigits: 3 }
  return { number, percent, score: (value) => new Intl.NumberFormat(language, digits).format(value) }
}
