import { createContext, type ReactElement, type ReactNode, use, useEffect, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { readStored, store } from '../frame/stored.js'
import { LANGUAGES, type Language } from './languages.js'

/** The texts of a section, in each language. Texts with values are functions. */
export type Texts<T> = Readonly<Record<Language, T>>

const STORED = 'alcove.language'

interface LanguageChoice {
  readonly language: Language
  readonly choose: (language: Language) => void
}

const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => undefined })

/** Gives its children the language of the user: the chosen one, or else the browser's. */
export function LanguageProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const choose = (chosen: Language): void => {
    store(STORED, chosen)
    setLanguage(chosen)
  }
  return (
    <LanguageContext value={{ language, choose }}>
      <I18nProvider locale={language}>{children}</I18nProvider>
    </LanguageContext>
  )
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext)
}

/** The texts of a section in the language of the user. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[useLanguage().language]
}

function firstLanguage(): Language {
  const wanted = [readStored(STORED) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2))
  return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en'
}
