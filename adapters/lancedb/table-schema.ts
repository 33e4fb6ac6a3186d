import type { Table } from '@lancedb/lancedb'
import type { DocumentIds, IndexedChunk, VectorKey } from '../../src/ports/index.js'

/** The name that Lance gives the vector index. */
export const VECTOR_INDEX = 'vector_idx'

/**
 * The column that names a chunk by one number. With it, one index finds some hundred chunks of any documents at once.
 */
export const CHUNK_KEY = 'chunk_key'
const BITS_OF_CHUNK = 32n

/** A predicate that no document passes: SQL has no empty list. */
export const NO_DOCUMENT = 'false'

/** The number of dimensions of a table's vectors. */
export async function readDimensions(table: Table): Promise<number> {
  const field = (await table.schema()).fields.find(({ name }) => name === 'vector')
  const type = field?.type as { listSize?: number } | undefined
  return type?.listSize ?? 0
}

/** The build time of a table's vector index, and the number of its segments; `undefined` for a table without one. */
export async function readVectorIndex(
  table: Table,
): Promise<{ readonly builtAt: string; readonly segments: number } | undefined> {
  const index = (await table.listIndices()).find(({ name }) => name === VECTOR_INDEX)
  return index && { builtAt: index.createdAt?.toISOString() ?? '', segments: index.numSegments ?? 1 }
}

/** The build time of a table's vector index; `undefined` for a table without one. */
export async function readIndexBuildTime(table: Table): Promise<string | undefined> {
  return (await readVectorIndex(table))?.builtAt
}

/** The filter in SQL; `undefined` if every document passes. */
export function documentPredicate(filter: DocumentIds | undefined): string | undefined {
  if (filter === undefined) return undefined
  if ('only' in filter) return filter.only.length === 0 ? NO_DOCUMENT : `document IN (${filter.only.join(',')})`
  return filter.except.length === 0 ? undefined : `document NOT IN (${filter.except.join(',')})`
}

/** A predicate for the rows of these chunks. */
export function chunkKeysPredicate(chunks: readonly IndexedChunk[]): string {
  return `${CHUNK_KEY} IN (${[...new Set(chunks.map(chunkKey))].join(',')})`
}

/** Names a chunk by one number of 64 bits: the document in the upper 32 bits, the chunk in the lower 32. */
export function chunkKey({ documentId, chunk }: IndexedChunk): bigint {
  return (BigInt(documentId) << BITS_OF_CHUNK) | BigInt(chunk)
}

/** The chunk with this {@link chunkKey}. */
export function chunkOf(key: bigint): IndexedChunk {
  return { documentId: Number(key >> BITS_OF_CHUNK), chunk: Number(BigInt.asUintN(Number(BITS_OF_CHUNK), key)) }
}

export function windowName({ documentId, chunk, window }: VectorKey): string {
  return `${documentId}:${chunk}:${window}`
}
