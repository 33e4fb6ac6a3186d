import type { DocumentFilter, VectorKey } from '../../src/ports/index.js'

/** No document at all: SQL has no empty list. */
export const NOTHING = 'false'

/** The filter in SQL; `undefined` where every document passes. */
export function documentPredicate(filter: DocumentFilter | undefined): string | undefined {
  if (filter === undefined) return undefined
  if ('only' in filter) return filter.only.length === 0 ? NOTHING : `document IN (${filter.only.join(',')})`
  return filter.except.length === 0 ? undefined : `document NOT IN (${filter.except.join(',')})`
}

export function nameOf({ documentId, chunk, window }: VectorKey): string {
  return `${documentId}:${chunk}:${window}`
}

/** The rows of these windows, and others of their chunks. */
export function keysPredicate(keys: readonly VectorKey[]): string {
  const chunksByDocument = new Map<number, Set<number>>()
  for (const { documentId, chunk } of keys) {
    const chunks = chunksByDocument.get(documentId) ?? new Set()
    chunksByDocument.set(documentId, chunks.add(chunk))
  }
  const parts = [...chunksByDocument].map(
    ([documentId, chunks]) => `(document = ${documentId} AND chunk IN (${[...chunks].join(',')}))`,
  )
  return parts.join(' OR ')
}
