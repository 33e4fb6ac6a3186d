import {
  cosine,
  hasDirection,
  type IndexedChunk,
  type NearestWindow,
  passesOf,
  requireQuery,
  requireRows,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
  type VectorKey,
  type VectorRows,
  type VectorSearchOptions,
} from '../../src/ports/index.js'
import { MemoryCollections } from './memory-collections.js'

interface StoredVector extends VectorKey {
  readonly vector: Float32Array
}

/** Vectors in memory. A search compares all of them. The end of the process deletes them. */
export class MemoryVectorIndex extends MemoryCollections<StoredVector> implements VectorIndex {
  constructor() {
    super('the vector index')
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    this.refuseIfClosed()
    requireRows(collection, rows)
    const { name, dimensions } = collection
    const { documentId, chunks, windows, vectors } = rows
    const added = Array.from(chunks, (chunk, row) => ({
      documentId,
      chunk,
      window: windows[row] ?? 0,
      vector: vectors.slice(row * dimensions, (row + 1) * dimensions),
    }))
    this.addRows(name, added)
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    this.refuseIfClosed()
    requireQuery(collection, query)
    const passes = passesOf(options.documents)
    if (!hasDirection(query)) return []
    return this.rowsOf(collection.name)
      .filter(({ documentId, vector }) => passes(documentId) && hasDirection(vector))
      .map(({ vector, ...key }) => ({ ...key, similarity: cosine(vector, query) }))
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, options.limit)
  }

  async nearestWindows(
    collection: VectorCollection,
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): Promise<readonly (NearestWindow | undefined)[]> {
    this.refuseIfClosed()
    for (const query of queries) requireQuery(collection, query)
    const rows = this.rowsOf(collection.name)
    return chunks.map(({ documentId, chunk }) => {
      const windows = rows.filter((row) => row.documentId === documentId && row.chunk === chunk)
      const similarities = windows.flatMap(({ window, vector }) =>
        queries.map((query) => ({ window, similarity: cosine(vector, query) })),
      )
      return similarities.sort((one, other) => other.similarity - one.similarity)[0]
    })
  }

  async read({ name }: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.refuseIfClosed()
    const keyOf = ({ documentId, chunk, window }: VectorKey): string => `${documentId}:${chunk}:${window}`
    const vectors = new Map(this.rowsOf(name).map((row) => [keyOf(row), row.vector]))
    return keys.map((key) => vectors.get(keyOf(key))?.slice())
  }
}
