import type { ReactElement } from 'react'
import type { DocumentState } from '../../api/api.js'
import { useTexts } from '../../texts/language.js'
import { Select, TextField } from '../../ui/fields.js'
import { type Listed, progressOf, replacementOf } from '../document.js'
import { TEXTS } from '../texts.js'
import { LIST_TEXTS, type StateFilter } from './list-texts.js'

const STATES: readonly StateFilter[] = ['all', 'busy', 'completed', 'failed']

export interface Filters {
  readonly name: string
  readonly state: StateFilter
}

/** The conditions for the documents that the list shows. */
export function DocumentFilters({
  filters,
  onChange,
}: {
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
}): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { state } = useTexts(TEXTS)
  return (
    <div className="docs-filters">
      <TextField
        label={texts.findName}
        type="search"
        value={filters.name}
        onChange={(name) => onChange({ ...filters, name })}
      />
      <Select
        label={state}
        choices={STATES.map((value) => ({ value, label: texts.states[value] }))}
        value={filters.state}
        onChange={(value) => onChange({ ...filters, state: value })}
      />
    </div>
  )
}

export function filterDocuments(
  documents: readonly Listed[],
  states: ReadonlyMap<number, DocumentState>,
  { name, state }: Filters,
): readonly Listed[] {
  const wanted = name.trim().toLocaleLowerCase()
  return documents.filter((document) => {
    if (!document.displayName.toLocaleLowerCase().includes(wanted)) return false
    return state === 'all' || statesOf(document, states.get(document.id)).includes(state)
  })
}

/** The states of both versions, if there are two. */
function statesOf(document: Listed, told: DocumentState | undefined): readonly StateFilter[] {
  return [progressOf(document, told), replacementOf(document, told)].flatMap((progress) => {
    if (progress === undefined) return []
    return [progress.stage === 'completed' || progress.stage === 'failed' ? progress.stage : 'busy']
  })
}
