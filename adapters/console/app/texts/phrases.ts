import { createContext, use } from 'react'

/** The languages of the console. Each phrase exists in both. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

/** The shape of English phrases, for another language: texts, and functions that make texts of values. */
type Phrases<English> = English extends (...values: infer Values) => infer Phrase
  ? (...values: Values) => Phrases<Phrase>
  : English extends string
    ? string
    : { readonly [Name in keyof English]: Phrases<English[Name]> }

/** Phrases in each language. */
export type Texts<T> = Readonly<Record<Language, T>>

/** Checks that German has a phrase for each English one, and no other. The English phrases make the type. */
export function phrases<const English>(texts: {
  readonly en: English
  readonly de: NoInfer<Phrases<English>>
}): Texts<Phrases<English>> {
  return texts as Texts<Phrases<English>>
}

export interface LanguageChoice {
  readonly language: Language
  readonly choose: (language: Language) => void
}

export const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => undefined })

export function useLanguage(): LanguageChoice {
  return use(LanguageContext)
}

/** The phrases in the language of the user. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[useLanguage().language]
}

/** @returns the phrase with this name, such as a code of the server; undefined if there is none */
export function phraseOf<Phrase>(named: Readonly<Record<string, Phrase>>, name: string): Phrase | undefined {
  return Object.hasOwn(named, name) ? named[name] : undefined
}

/**
 * Chooses between the form of a text for one and the form for other counts, by the rules of a language.
 *
 * @param count a number, or the text of one as the page shows it
 */
type Plural = (count: number | string, one: string, other: string) => string

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
