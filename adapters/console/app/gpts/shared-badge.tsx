import type { ReactElement } from 'react'
import { type Texts, useTexts } from '../texts/language.js'
import { Badge } from '../ui/notes.js'
import type { Gpt } from './use-gpts.js'

const TEXTS: Texts<{ readonly shared: string; readonly private: string }> = {
  en: { shared: 'Shared', private: 'Private' },
  de: { shared: 'Geteilt', private: 'Privat' },
}

/** Tells who sees a context. */
export function SharedBadge({ gpt }: { readonly gpt: Pick<Gpt, 'shareState'> }): ReactElement {
  const texts = useTexts(TEXTS)
  const isShared = gpt.shareState === 1
  return (
    <Badge kind={isShared ? 'good' : 'neutral'}>
      <span aria-hidden="true">{isShared ? '👥' : '🔒'}</span> {isShared ? texts.shared : texts.private}
    </Badge>
  )
}
