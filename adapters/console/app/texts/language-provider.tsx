import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { readStored, store } from '../frame/stored.js'
import { LANGUAGES, type Language, LanguageContext, useLanguage } from './phrases.js'

const STORED = 'alcove.language'

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

function firstLanguage(): Language {
  const wanted = [readStored(STORED) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2))
  return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en'
}

/** The languages as buttons, each in its own words. */
export function LanguageChoice(): ReactElement {
  const { language, choose } = useLanguage()
  return (
    <fieldset className="languages">
      <legend className="visually-hidden">Language / Sprache</legend>
      {(Object.keys(LANGUAGES) as Language[]).map((each) => (
        <button
          key={each}
          type="button"
          lang={each}
          className="button button-quiet"
          aria-pressed={each === language}
          onClick={() => choose(each)}
        >
          {LANGUAGES[each]}
        </button>
      ))}
    </fieldset>
  )
}
