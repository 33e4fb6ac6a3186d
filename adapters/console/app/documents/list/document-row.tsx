import type { ReactElement } from 'react'
import { Link, useSearch } from 'wouter'
import type { DocumentState } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Checkbox } from '../../ui/form/fields.js'
import { type Listed, progressOf, replacementOf } from '../document.js'
import { useDocumentErrorText } from '../error-texts.js'
import { metadataText } from '../metadata.js'
import { StateBadge } from '../state-badge.js'
import { TEXTS } from '../texts.js'
import { useRetry } from '../use-retry.js'
import type { FromList } from './list-address.js'
import { LIST_TEXTS } from './list-texts.js'

interface DocumentRowProps {
  readonly contextId: number
  readonly document: Listed
  readonly state: DocumentState | undefined
  readonly isSelected: boolean
  /** Undefined for a user who may not change documents. */
  readonly onSelect: ((id: number, isSelected: boolean) => void) | undefined
}

/** The cells of a document. */
export function DocumentRow({ contextId, document, state, isSelected, onSelect }: DocumentRowProps): ReactElement {
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
