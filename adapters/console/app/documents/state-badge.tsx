import type { ReactElement } from 'react'
import { useFormat } from '../texts/format.js'
import { useTexts } from '../texts/phrases.js'
import { Badge } from '../ui/notes.js'
import type { Progress } from './document.js'
import { TEXTS } from './texts.js'

const KINDS = { waiting: 'neutral', reading: 'busy', embedding: 'busy', completed: 'good', failed: 'bad' } as const

/** The progress of a version of a document, as a badge. */
export function StateBadge({
  progress: { stage, part },
  isNewVersion = false,
}: {
  readonly progress: Progress
  readonly isNewVersion?: boolean
}): ReactElement {
  const { stages, newVersion } = useTexts(TEXTS)
  const { percent } = useFormat()
  const text = stage === 'embedding' && part !== undefined ? `${stages[stage]} ${percent(part)}` : stages[stage]
  return <Badge kind={KINDS[stage]}>{isNewVersion ? newVersion(text) : text}</Badge>
}
