import { ClosedError, type IndexedChunk } from '../../src/ports/index.js'

/** Rows of chunks in memory, by collection. The end of the process deletes them. */
export abstract class MemoryCollections<Row extends IndexedChunk> {
  readonly #collections = new Map<string, readonly Row[]>()
  #isClosed = false

  /** @param index the name of the index, for the error of a closed one */
  constructor(private readonly index: string) {}

  async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    this.refuseIfClosed()
    this.removeRows(collection, (row) => row.documentId === documentId && row.chunk >= fromChunk)
  }

  async count(collection: string, documentId: number): Promise<number> {
    return (await this.countByDocument(collection)).get(documentId) ?? 0
  }

  async countByDocument(collection: string): Promise<ReadonlyMap<number, number>> {
    const counts = new Map<number, number>()
    for (const { documentId } of this.rowsOf(collection)) counts.set(documentId, (counts.get(documentId) ?? 0) + 1)
    return counts
  }

  async listCollections(): Promise<readonly string[]> {
    this.refuseIfClosed()
    return [...this.#collections.keys()]
  }

  async drop(collection: string): Promise<void> {
    this.refuseIfClosed()
    this.#collections.delete(collection)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  protected removeRows(collection: string, isRemoved: (row: Row) => boolean): void {
    const rows = this.#collections.get(collection)
    if (rows === undefined) return
    this.#collections.set(
      collection,
      rows.filter((row) => !isRemoved(row)),
    )
  }

  protected addRows(collection: string, added: readonly Row[]): void {
    this.#collections.set(collection, [...this.rowsOf(collection), ...added])
  }

  /** @throws ClosedError */
  protected rowsOf(collection: string): readonly Row[] {
    this.refuseIfClosed()
    return this.#collections.get(collection) ?? []
  }

  /** @throws ClosedError */
  protected refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError(this.index)
  }
}
