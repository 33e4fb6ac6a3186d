import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { DocumentState } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Select, TextField } from '../../ui/form/fields.js'
import { EmptyState, ErrorNote } from '../../ui/notes.js'
import { useStore } from '../../ui/store.js'
import { type ContextName, type Listed, progressOf } from '../document.js'
import { useMayWrite } from '../may-write.js'
import { TEXTS } from '../texts.js'
import { useDocuments } from '../use-documents.js'
import { useContextWork } from '../work/context-work.js'
import { DocumentTable } from './document-table.js'
import { addressOf, type CountedState, type Filters, filtersOf, NO_FILTERS, STATE_FILTERS } from './filters.js'
import { LIST_TEXTS } from './list-texts.js'
import { UploadArea } from './upload-area.js'
import { UploadList } from './upload-list.js'

/** The documents of a context, with the place for new ones. The address of the page keeps the filters. */
export function DocumentList({ context }: { readonly context: ContextName }): ReactElement {
  const texts = useTexts(TEXTS)
  const listTexts = useTexts(LIST_TEXTS)
  const { number } = useFormat()
  const mayWrite = useMayWrite()
  const { uploads, deletions } = useContextWork(context.id)
  const hidden = useStore(deletions.hidden)
  const [address, setAddress] = useSearchParams()
  const filters = filtersOf(address)
  const { documents, states, isReading, isOld, error, readAgain, change } = useDocuments(context.id, filters)
  const region = useRef<HTMLElement>(null)
  const shown = useMemo(() => documents.filter(({ id }) => !hidden.has(id)), [documents, hidden])
  const isFiltered = filters.name !== '' || filters.state !== 'all'
  const setFilters = (changes: Partial<Filters>): void => {
    setAddress((before) => addressOf({ ...filtersOf(before), ...changes }), { replace: true })
  }
  const clear = (): void => {
    setFilters({ name: '', state: 'all' })
    // The button that had the focus is gone.
    region.current?.focus()
  }
  return (
    <>
      <p className="soft">{texts.purpose}</p>
      {mayWrite && <UploadArea uploads={uploads} />}
      {isFiltered ? (
        <UploadsOfAll contextId={context.id} />
      ) : (
        <UploadList contextId={context.id} documents={documents} />
      )}
      <ErrorNote error={error} onRetry={readAgain} />
      {(documents.length > 0 || isFiltered || isOld) && <DocumentFilters filters={filters} onChange={setFilters} />}
      <div className="docs-bar">
        <p role="status" className="soft">
          {isReading
            ? error === null && !isOld && listTexts.reading(number(documents.length))
            : shown.length > 0 && listTexts.count(number(shown.length), isFiltered)}
        </p>
        {!isReading && !isFiltered && <StateCounts documents={shown} states={states} />}
      </div>
      <section ref={region} tabIndex={-1} aria-label={listTexts.list} className="docs-region">
        {!isReading && shown.length === 0 && error === null ? (
          isFiltered ? (
            <EmptyState
              title={listTexts.noneFound(filters)}
              action={<Button onPress={clear}>{listTexts.clear}</Button>}
            >
              {listTexts.noneFoundText}
            </EmptyState>
          ) : (
            <EmptyState title={listTexts.empty}>{mayWrite ? listTexts.emptyText : listTexts.emptyReader}</EmptyState>
          )
        ) : (
          documents.length > 0 && (
            <DocumentTable
              contextId={context.id}
              documents={shown}
              states={states}
              isWhole={!isReading}
              // The button that had the focus is gone.
              onDelete={() => region.current?.focus()}
              onDeleted={(ids) => change([], ids)}
            />
          )
        )}
      </section>
    </>
  )
}

interface StateCountsProps {
  readonly documents: readonly Listed[]
  readonly states: ReadonlyMap<number, DocumentState>
}

/** The numbers of documents that are completed, in progress and failed. */
function StateCounts({ documents, states }: StateCountsProps): ReactElement {
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

/** The server is asked once the user has stopped typing for this time. */
const TYPING_MS = 250

/** The fields of the conditions for the documents that the list shows. */
function DocumentFilters({
  filters,
  onChange,
}: {
  readonly filters: Filters
  readonly onChange: (changes: Partial<Filters>) => void
}): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { state } = useTexts(TEXTS)
  const [typed, setTyped] = useTyped(filters.name, (name) => onChange({ name }))
  return (
    <div className="docs-filters">
      <TextField label={texts.findName} type="search" value={typed} maxLength={1_000} onChange={setTyped} />
      <Select
        label={state}
        choices={STATE_FILTERS.map((value) => ({ value, label: texts.states[value] }))}
        value={filters.state}
        onChange={(value) => onChange({ state: value })}
      />
    </div>
  )
}

/** The text of a field, whose changes are told after a pause. A value that changes elsewhere replaces the text. */
function useTyped(value: string, onChange: (value: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value)
  const told = useRef(value)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed.trim() === told.current) return
    const timer = setTimeout(() => {
      told.current = typed.trim()
      latest.current(told.current)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}

/** The uploads of a context beside a list whose filters may hide their documents. Reads nothing without uploads. */
function UploadsOfAll({ contextId }: { readonly contextId: number }): ReactElement | null {
  const { uploads } = useContextWork(contextId)
  return useStore(uploads.uploads).length === 0 ? null : <Uploads contextId={contextId} />
}

function Uploads({ contextId }: { readonly contextId: number }): ReactElement {
  const { documents } = useDocuments(contextId, NO_FILTERS)
  return <UploadList contextId={contextId} documents={documents} />
}
