import type { ReactElement } from 'react'
import type { DocumentState } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { type Listed, progressOf } from '../document.js'
import type { CountedState } from './filters.js'
import { LIST_TEXTS } from './list-texts.js'

interface StateCountsProps {
  readonly documents: readonly Listed[]
  readonly states: ReadonlyMap<number, DocumentState>
}

/** The numbers of documents that are completed, in progress and failed. */
export function StateCounts({ documents, states }: StateCountsProps): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { number } = useFormat()
  const counts: Record<CountedState, number> = { completed: 0, busy: 0, failed: 0 }
  for (const document of documents) {
    const { stage } = progressOf(document, states.get(document.id))
    counts[stage === 'completed' || stage === 'failed' ? stage : 'busy'] += 1
  }
  const said = (['completed', 'busy', 'failed'] as const).filter((state) => counts[state] > 0)
  return (
    <p className="soft docs-counts">{said.map((state) => texts.inState(number(counts[state]), state)).join(' · ')}</p>
  )
}
