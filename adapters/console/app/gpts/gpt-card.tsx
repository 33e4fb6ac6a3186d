import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { phrases, plural, useTexts } from '../texts/phrases.js'
import { SharedBadge } from './shared-badge.js'
import type { Gpt } from './use-gpts.js'

const TEXTS = phrases({
  en: { prompts: (count: number) => plural.en(count, '1 starter prompt', `${count} starter prompts`) },
  de: { prompts: (count) => plural.de(count, '1 Startfrage', `${count} Startfragen`) },
})

/** A context in the list. */
export function GptCard({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <li className="card gpts-card">
      <h3>
        <Link href={`/gpts/${gpt.id}`} className="gpts-card-link">
          {gpt.name}
        </Link>
      </h3>
      {gpt.caption !== '' && <p className="gpts-caption">{gpt.caption}</p>}
      <p className="gpts-card-foot">
        <span className="soft">{texts.prompts(gpt.starterPrompts.length)}</span>
        <SharedBadge gpt={gpt} />
      </p>
    </li>
  )
}
