import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { Link, useSearch } from 'wouter'
import type { DocumentState } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Checkbox } from '../../ui/form/fields.js'
import { type Listed, metadataText, progressOf, replacementOf } from '../document.js'
import { useDocumentErrorText } from '../error-texts.js'
import { useMayWrite } from '../may-write.js'
import { StateBadge } from '../state-badge.js'
import { TEXTS } from '../texts.js'
import { useDelete, useRetry } from '../use-delete.js'
import type { FromList } from './filters.js'
import { LIST_TEXTS } from './list-texts.js'

/** The heights of most rows. A good guess keeps the place while the list scrolls. */
const ROW_PX = 48
const METADATA_ROW_PX = 62

interface DocumentTableProps {
  readonly contextId: number
  readonly documents: readonly Listed[]
  readonly states: ReadonlyMap<number, DocumentState>
  /** False while more documents may come. */
  readonly isWhole: boolean
  /** Called when the user has deleted the selected documents. */
  readonly onDelete: () => void
  /** Gets the ids once the server has deleted the documents. */
  readonly onDeleted: (ids: readonly number[]) => void
}

/** A table of any length: only the rows near the visible part of the page exist. */
export function DocumentTable(props: DocumentTableProps): ReactElement {
  const { contextId, documents, states, isWhole, onDelete, onDeleted } = props
  const texts = useTexts(TEXTS)
  const listTexts = useTexts(LIST_TEXTS)
  const mayWrite = useMayWrite()
  const body = useRef<HTMLDivElement>(null)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const deleteDocuments = useDelete(contextId, onDeleted)
  const top = useTop(body)
  const virtualizer = useWindowVirtualizer({
    count: documents.length,
    estimateSize: (index) => (Object.keys(documents[index]?.metadata ?? {}).length > 0 ? METADATA_ROW_PX : ROW_PX),
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => documents[index]?.id ?? index,
  })
  const chosen = documents.filter(({ id }) => selected.has(id))
  const select = (id: number, isSelected: boolean): void => {
    const changed = new Set(selected)
    if (isSelected) changed.add(id)
    else changed.delete(id)
    setSelected(changed)
  }
  const deleteChosen = (): void => {
    deleteDocuments(chosen)
    setSelected(new Set())
    onDelete()
  }
  const isAll = chosen.length === documents.length
  return (
    <div className={mayWrite ? 'docs-list docs-list-writable' : 'docs-list'}>
      {chosen.length > 0 && (
        <SelectionBar count={chosen.length} onDelete={deleteChosen} onClear={() => setSelected(new Set())} />
      )}
      <div
        role="table"
        aria-label={listTexts.list}
        aria-rowcount={isWhole ? documents.length + 1 : -1}
        className="docs-table"
      >
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className="docs-row docs-head">
            {mayWrite && (
              <div role="columnheader" className="docs-check">
                <Checkbox
                  label={<span className="visually-hidden">{listTexts.selectAll}</span>}
                  isSelected={isAll}
                  onChange={() => setSelected(new Set(isAll ? [] : documents.map(({ id }) => id)))}
                />
              </div>
            )}
            <div role="columnheader" className="docs-name">
              {texts.name}
            </div>
            <div role="columnheader" className="docs-state">
              {texts.state}
            </div>
            <div role="columnheader" className="docs-size">
              {texts.size}
            </div>
            <div role="columnheader" className="docs-chunks">
              {texts.chunks}
            </div>
            <div role="columnheader" className="docs-added">
              {texts.added}
            </div>
          </div>
        </div>
        <div ref={body} role="rowgroup" className="docs-body" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const document = documents[index]
            return (
              document && (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  role="row"
                  aria-rowindex={index + 2}
                  className="docs-row"
                  style={{ transform: `translateY(${start - top}px)` }}
                >
                  <DocumentRow
                    contextId={contextId}
                    document={document}
                    state={states.get(document.id)}
                    isSelected={selected.has(document.id)}
                    onSelect={mayWrite ? select : undefined}
                  />
                </div>
              )
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** The distance of an element from the top of the page, which changes when something above it grows. */
function useTop(element: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useEffect(() => {
    const measure = (): void => {
      if (element.current !== null) setTop(element.current.getBoundingClientRect().top + window.scrollY)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return top
}

/** The actions for the selected documents. They stay visible while the list scrolls. */
function SelectionBar({
  count,
  onDelete,
  onClear,
}: {
  readonly count: number
  readonly onDelete: () => void
  readonly onClear: () => void
}): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { number } = useFormat()
  return (
    <div className="docs-bar docs-selection">
      <span role="status">{texts.selected(number(count))}</span>
      <Button kind="danger" onPress={onDelete}>
        {texts.deleteSelected}
      </Button>
      <Button kind="quiet" onPress={onClear}>
        {texts.clearSelection}
      </Button>
    </div>
  )
}

interface DocumentRowProps {
  readonly contextId: number
  readonly document: Listed
  readonly state: DocumentState | undefined
  readonly isSelected: boolean
  /** Undefined for a user who may not change documents. */
  readonly onSelect: ((id: number, isSelected: boolean) => void) | undefined
}

/** The cells of a document. */
function DocumentRow({ contextId, document, state, isSelected, onSelect }: DocumentRowProps): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { tryAgain, chunksOf: chunksName } = useTexts(TEXTS)
  const format = useFormat()
  const retry = useRetry(contextId)
  const from: FromList = { listQuery: useSearch() }
  const { failureText } = useDocumentErrorText()
  const { id, displayName, size, chunks, created, metadata } = document
  const progress = progressOf(document, state)
  const replacement = replacementOf(document, state)
  const reason = progress.error ?? replacement?.error
  return (
    <>
      {onSelect !== undefined && (
        <div role="cell" className="docs-check">
          <Checkbox
            label={<span className="visually-hidden">{texts.select(displayName)}</span>}
            isSelected={isSelected}
            onChange={(selected) => onSelect(id, selected)}
          />
        </div>
      )}
      <div role="cell" className="docs-name">
        <Link href={`/gpts/${contextId}/documents/${id}`} state={from}>
          {displayName}
        </Link>
        <div className="hint docs-metadata">{metadataText(metadata)}</div>
        {reason != null && <div className="field-error">{failureText(reason)}</div>}
      </div>
      <div role="cell" className="docs-state">
        <StateBadge progress={progress} />
        {replacement !== undefined && <StateBadge progress={replacement} isNewVersion />}
        {onSelect !== undefined && progress.stage === 'failed' && (
          <Button aria-label={texts.retry(displayName)} onPress={() => retry(document)}>
            {tryAgain}
          </Button>
        )}
      </div>
      <div role="cell" className="docs-size">
        {format.bytes(size)}
      </div>
      <div role="cell" className="docs-chunks">
        {progress.stage === 'completed' && (
          <>
            {format.number(chunks)} <span className="docs-narrow">{chunksName(chunks)}</span>
          </>
        )}
      </div>
      <div role="cell" className="docs-added">
        {format.time(created)}
      </div>
    </>
  )
}
