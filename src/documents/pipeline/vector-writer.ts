import type { JobRun } from '../../jobs/index.js'
import { StorageError } from '../../kernel/errors.js'
import type { NewChunk, VectorCollection, VectorIndex } from '../../ports/index.js'
import type { EmbeddedBatch } from './window-embedder.js'

/** Windows that are written at once: the index likes few, large additions. */
const WINDOWS_PER_WRITE = 1_024

/**
 * Writes the vectors of one document, in the order of its chunks, and how far it has come: `embeddedChunks` tells of
 * vectors that are there. Nothing of it is visible until the document is completed.
 */
export class VectorWriter {
  readonly #index: VectorIndex
  readonly #run: JobRun
  readonly #collection: VectorCollection
  readonly #documentId: number
  #waiting: EmbeddedBatch[] = []
  #waitingWindows = 0
  /** Whether an earlier run may have ended the process before it had written anything: then little is held back. */
  #isCareful: boolean
  /** Whether something was written some time ago, by this run or an earlier one. */
  #isInParts = false
  #hasWritten = false
  /** Milliseconds spent writing. */
  indexMs = 0

  constructor(index: VectorIndex, run: JobRun, collection: VectorCollection, documentId: number) {
    this.#index = index
    this.#run = run
    this.#collection = collection
    this.#documentId = documentId
    this.#isCareful = run.isRepeated
  }

  /**
   * Removes vectors beyond those that the document's record tells of. Where some of these are gone, all are removed: a
   * power cut may take what only the database had on the disk, a repair a whole collection.
   *
   * @param embeddedChunks as the record says
   * @param windows of these chunks
   * @returns the chunk from which on vectors are to be written
   */
  async resume(embeddedChunks: number, windows: number): Promise<number> {
    await this.#remove(embeddedChunks)
    if (embeddedChunks === 0) return 0
    if ((await this.#count()) === windows) {
      this.#isInParts = true
      return embeddedChunks
    }
    await this.#run.transaction(({ documents }) => documents.update(this.#documentId, { embeddedChunks: 0 }))
    await this.#remove(0)
    return 0
  }

  async write(batch: EmbeddedBatch): Promise<void> {
    this.#waiting.push(batch)
    this.#waitingWindows += batch.windowCount
    if (this.#isCareful || this.#waitingWindows >= WINDOWS_PER_WRITE) await this.#flush()
  }

  /**
   * Writes what is waiting, and looks whether what was written before is still there.
   * @param windows of the whole document
   * @throws StorageError where it is not; the next run computes the vectors anew
   */
  async finish(windows: number): Promise<void> {
    await this.#flush()
    if (!this.#isInParts || (await this.#count()) === windows) return
    throw new StorageError('vectors of the document are gone that were written before', { isTransient: true })
  }

  /** Adds vectors to the index, and records nothing. */
  async add(batches: readonly EmbeddedBatch[]): Promise<void> {
    const began = performance.now()
    const chunks = batches.flatMap((batch) => batch.chunks)
    const windowCount = batches.reduce((sum, batch) => sum + batch.windowCount, 0)
    this.#run.signal.throwIfAborted()
    try {
      await this.#index.add(this.#collection, {
        documentId: this.#documentId,
        ...keysOf(chunks, windowCount),
        vectors: joined(batches.map(({ vectors }) => vectors)),
      })
    } catch (error) {
      await this.#undo(chunks)
      throw error
    }
    this.indexMs += performance.now() - began
  }

  /** Removes vectors that were added and not recorded: they must not stay where the document fails for good. */
  async #undo([first]: readonly NewChunk[]): Promise<void> {
    if (first === undefined) return
    // Another worker that holds the job by now may have written vectors of its own there.
    const isHeld = await this.#run.transaction(async () => true).catch(() => false)
    if (isHeld) await this.#remove(first.ordinal).catch(() => undefined)
  }

  async #flush(): Promise<void> {
    const batches = this.#waiting
    const chunks = batches.flatMap((batch) => batch.chunks)
    const last = chunks.at(-1)
    if (last === undefined) return
    await this.add(batches)
    const began = performance.now()
    const changes = { embeddedChunks: last.ordinal + 1 }
    try {
      await this.#run.transaction(({ documents }) => documents.update(this.#documentId, changes), { isProgress: true })
    } catch (error) {
      await this.#undo(chunks)
      throw error
    }
    this.#isCareful = false
    this.#isInParts ||= this.#hasWritten
    this.#hasWritten = true
    for (const batch of batches) batch.release()
    this.#waiting = []
    this.#waitingWindows = 0
    this.indexMs += performance.now() - began
  }

  async #remove(fromOrdinal: number): Promise<void> {
    await this.#index.deleteDocument(this.#collection.name, this.#documentId, fromOrdinal)
  }

  async #count(): Promise<number> {
    return await this.#index.count(this.#collection.name, this.#documentId)
  }
}

function keysOf(chunks: readonly NewChunk[], windowCount: number): { chunks: Uint32Array; windows: Uint16Array } {
  const keys = { chunks: new Uint32Array(windowCount), windows: new Uint16Array(windowCount) }
  let row = 0
  for (const { ordinal, windows } of chunks) {
    for (let window = 0; window < windows.length; window += 1) {
      keys.chunks[row] = ordinal
      keys.windows[row] = window
      row += 1
    }
  }
  return keys
}

function joined(arrays: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(arrays.reduce((length, array) => length + array.length, 0))
  let at = 0
  for (const array of arrays) {
    all.set(array, at)
    at += array.length
  }
  return all
}
