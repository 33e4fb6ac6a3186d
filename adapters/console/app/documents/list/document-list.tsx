import { type ReactElement, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/language.js'
import { EmptyState, ErrorNote } from '../../ui/notes.js'
import type { ContextName } from '../document.js'
import { useMayWrite } from '../may-write.js'
import { TEXTS } from '../texts.js'
import { useDocuments } from '../use-documents.js'
import { useContextWork } from '../work/context-work.js'
import { useStore } from '../work/store.js'
import { DocumentFilters, type Filters, filterDocuments } from './document-filters.js'
import { DocumentTable } from './document-table.js'
import { LIST_TEXTS } from './list-texts.js'
import { UploadArea } from './upload-area.js'
import { UploadList } from './upload-list.js'

/** All documents of a context, with the place for new ones. */
export function DocumentList({ context }: { readonly context: ContextName }): ReactElement {
  const texts = useTexts(TEXTS)
  const listTexts = useTexts(LIST_TEXTS)
  const { number } = useFormat()
  const mayWrite = useMayWrite()
  const { uploads, deletions } = useContextWork(context.id)
  const hidden = useStore(deletions.hidden)
  const { documents, states, isReading, error, readAgain, change } = useDocuments(context.id)
  const region = useRef<HTMLElement>(null)
  const [filters, setFilters] = useState<Filters>({ name: '', state: 'all' })
  const deferred = useDeferredValue(filters)
  const present = useMemo(() => documents.filter(({ id }) => !hidden.has(id)), [documents, hidden])
  // The map of states is the same all the time, so each rendering filters again.
  const isFiltered = deferred.name !== '' || deferred.state !== 'all'
  const shown = isFiltered ? filterDocuments(present, states, deferred) : present
  return (
    <>
      <p className="soft">{texts.purpose}</p>
      {mayWrite && <UploadArea uploads={uploads} />}
      <UploadList contextId={context.id} documents={documents} />
      <ErrorNote error={error} onRetry={readAgain} />
      {documents.length > 0 && <DocumentFilters filters={filters} onChange={setFilters} />}
      <p role="status" className="soft">
        {isReading
          ? error === null && listTexts.reading(number(documents.length))
          : documents.length > 0 && listTexts.count(number(shown.length), number(present.length))}
      </p>
      <section ref={region} tabIndex={-1} aria-label={listTexts.list} className="docs-region">
        {!isReading && present.length === 0 ? (
          <EmptyState title={listTexts.empty}>{mayWrite ? listTexts.emptyText : listTexts.emptyReader}</EmptyState>
        ) : shown.length === 0 && isFiltered ? (
          <p>{listTexts.noneFound}</p>
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
