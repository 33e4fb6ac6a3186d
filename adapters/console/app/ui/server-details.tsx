import type { ReactElement } from 'react'
import { phrases, useTexts } from '../texts/phrases.js'

const TEXTS = phrases({
  en: { details: 'What the server says' },
  de: { details: 'Was der Server sagt (englisch)' },
})

interface ServerDetailsProps {
  /** Sentences of the server, in English. */
  readonly sentences: readonly string[]
  readonly isOpenAtFirst?: boolean
}

/** The server's own sentences, which open by a press: they have facts that the text of the page does not have. */
export function ServerDetails({ sentences, isOpenAtFirst = false }: ServerDetailsProps): ReactElement {
  const { details } = useTexts(TEXTS)
  return (
    <details className="server-details" open={isOpenAtFirst}>
      <summary>{details}</summary>
      {sentences.map((each) => (
        <p key={each} lang="en">
          {each}
        </p>
      ))}
    </details>
  )
}
