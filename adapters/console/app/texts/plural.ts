import type { Language } from './languages.js'

/**
 * Chooses between the form of a text for one and the form for other counts, by the rules of a language.
 *
 * @param count a number, or the text of one as the page shows it
 */
export type Plural = (count: number | string, one: string, other: string) => string

function pluralIn(language: Language): Plural {
  const rules = new Intl.PluralRules(language)
  // `Number` would read the text of a thousand in German, "1.000", as one.
  return (count, one, other) => {
    const isOne = typeof count === 'string' ? count === '1' : rules.select(count) === 'one'
    return isOne ? one : other
  }
}

/** The choice for each language of the console. Every text with a count goes through it. */
export const plural: Readonly<Record<Language, Plural>> = { en: pluralIn('en'), de: pluralIn('de') }
