import type { ReactElement } from 'react'
import { LANGUAGES, type Language, useLanguage } from '../texts/phrases.js'

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
