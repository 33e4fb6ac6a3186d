import type { ReactElement } from 'react'
import { phrases, useTexts } from '../../texts/phrases.js'

const TEXTS = phrases({
  en: { all: 'all of runs and agents' },
  de: { all: 'alle von Läufen und Agenten' },
})

/** The types that a destination gets. */
export function EventTypes({ types }: { readonly types: readonly string[] | null }): ReactElement {
  const texts = useTexts(TEXTS)
  if (types === null) return <>{texts.all}</>
  return (
    <ul className="hooks-list">
      {types.map((type) => (
        <li key={type}>
          <code>{type}</code>
        </li>
      ))}
    </ul>
  )
}
