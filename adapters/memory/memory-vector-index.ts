import {
  ClosedError,
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

interface StoredVector extends VectorKey {
  readonly vector: Float32Array
}

/** Vectors in memory. A search compares all of them. The end of the process deletes them. */
export class MemoryVectorIndex implements VectorIndex {
  readonly #collections = new Map<string, StoredVector[]>()
  #isClosed = false

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    this.#refuseIfClosed()
    requireRows(collection, rows)
    const { name, dimensions } = collection
    const { documentId, chunks, windows, vectors } = rows
    const added = Array.from(chunks, (chunk, row) => ({
      documentId,
      chunk,
      window: windows[row] ?? 0,
      vector: vectors.slice(row * dimensions, (row + 1) * dimensions),
    }))
    this.#collections.set(name, [...this.#rowsOf(name), ...added])
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    this.#refuseIfClosed()
    requireQuery(collection, query)
    const passes = passesOf(options.documents)
    if (!hasDirection(query)) return []
    return this.#rowsOf(collection.name)
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
    this.#refuseIfClosed()
    for (const query of queries) requireQuery(collection, query)
    const rows = this.#rowsOf(collection.name)
    return chunks.map(({ documentId, chunk }) => {
      const windows = rows.filter((row) => row.documentId === documentId && row.chunk === chunk)
      const similarities = windows.flatMap(({ window, vector }) =>
        queries.map((query) => ({ window, similarity: cosine(vector, query) })),
      )
      return similarities.sort((one, other) => other.similarity - one.similarity)[0]
    })
  }

  async count(name: string, documentId: number): Promise<number> {
    return (await this.countByDocument(name)).get(documentId) ?? 0
  }

  async read({ name }: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.#refuseIfClosed()
    const keyOf = ({ documentId, chunk, window }: VectorKey): string => `${documentId}:${chunk}:${window}`
    const vectors = new Map(this.#rowsOf(name).map((row) => [keyOf(row), row.vector]))
    return keys.map((key) => vectors.get(keyOf(key))?.slice())
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.#refuseIfClosed()
    const rows = this.#collections.get(name)
    if (rows === undefined) return
    this.#collections.set(
      name,
      rows.filter((row) => row.documentId !== documentId || row.chunk < fromChunk),
    )
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    this.#refuseIfClosed()
    const counts = new Map<number, number>()
    for (const { documentId } of this.#rowsOf(name)) counts.set(documentId, (counts.get(documentId) ?? 0) + 1)
    return counts
  }

  async listCollections(): Promise<readonly string[]> {
    this.#refuseIfClosed()
    return [...this.#collections.keys()]
  }

  async drop(name: string): Promise<void> {
    this.#refuseIfClosed()
    this.#collections.delete(name)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #rowsOf(name: string): readonly StoredVector[] {
    return this.#collections.get(name) ?? []
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the vector index')
  }
}
