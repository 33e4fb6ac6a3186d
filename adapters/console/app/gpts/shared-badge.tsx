import type { ReactElement } from 'react'
import { phrases, useTexts } from '../texts/phrases.js'
import { Badge } from '../ui/notes.js'
import type { Gpt } from './use-gpts.js'

const TEXTS = phrases({
  en: { shared: 'Shared', private: 'Private' },
  de: { shared: 'Geteilt', private: 'Privat' },
})

const PEOPLE =
  'M5.5 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm5.5 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM1 13c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4Zm10 0h4c0-2.3-1.7-3.7-4-3.7'
const LOCK = 'M4 7V5a4 4 0 0 1 8 0v2h1v7H3V7Zm2 0h4V5a2 2 0 0 0-4 0Z'

/** Tells who sees a context. */
export function SharedBadge({ gpt }: { readonly gpt: Pick<Gpt, 'shareState'> }): ReactElement {
  const texts = useTexts(TEXTS)
  const isShared = gpt.shareState === 1
  return (
    <Badge kind={isShared ? 'good' : 'neutral'}>
      <span className="gpts-badge">
        <svg aria-hidden="true" width="14" height="14" viewBox="0 0 16 16" fill="currentColor">
          <path d={isShared ? PEOPLE : LOCK} />
        </svg>
        {isShared ? texts.shared : texts.private}
      </span>
    </Badge>
  )
}
