import { type ReactElement, useMemo, useRef } from 'react'
import { useSearchParams } from 'wouter'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { EmptyState, ErrorNote } from '../../ui/notes.js'
import { useStore } from '../../ui/store.js'
import type { ContextName } from '../document.js'
import { useMayWrite } from '../may-write.js'
import { TEXTS } from '../texts.js'
import { useDocuments } from '../use-documents.js'
import { useContextWork } from '../work/context-work.js'
import { DocumentFilters } from './document-filters.js'
import { DocumentTable } from './document-table.js'
import { addressOf, type Filters, filtersOf } from './filters.js'
import { LIST_TEXTS } from './list-texts.js'
import { StateCounts } from './state-counts.js'
import { UploadArea } from './upload-area.js'
import { UploadList } from './upload-list.js'
import { UploadsOfAll } from './uploads-of-all.js'

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
