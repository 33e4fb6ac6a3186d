import type { DocumentFilter, IndexedChunk, VectorKey } from '../../src/ports/index.js'

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

/** Column that names a chunk by one number, so that one index finds some hundred chunks of any documents at once. */
export const CHUNK_KEY = 'chunk_key'
const BITS_OF_CHUNK = 32n

/** Names a chunk by one number, of 64 bits. */
export function chunkKey({ documentId, chunk }: IndexedChunk): bigint {
  return (BigInt(documentId) << BITS_OF_CHUNK) | BigInt(chunk)
}

/** The rows of these chunks, in a table that has {@link CHUNK_KEY}. */
export function chunkKeysPredicate(chunks: readonly IndexedChunk[]): string {
  return `${CHUNK_KEY} IN (${chunks.map(chunkKey).join(',')})`
}

/** The rows of these chunks. */
export function keysPredicate(keys: readonly IndexedChunk[]): string {
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
