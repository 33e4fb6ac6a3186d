import type { JobRun } from '../../jobs/index.js'
import type { NewChunk, Storage, VectorCollection, VectorIndex } from '../../ports/index.js'
import { StorageError } from '../../shared/errors.js'
import { removeChunks } from './remove-chunks.js'
import type { EmbeddedBatch } from './window-embedder.js'

/** Windows that are written at once: the index likes few, large additions. */
const WINDOWS_PER_WRITE = 1_024

/**
 * Writes chunks and vectors of one document, the vectors first: a chunk row says
 * that its vectors are there. Nothing of it is visible until the document is completed.
 */
export class DocumentWriter {
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
   * Hashes of the chunks that an earlier run wrote; vectors without their chunk are removed. Where vectors are gone
   * that had been written, nothing is kept: a power cut may take what only the database had on the disk, a repair
   * a whole collection.
   */
  async resume(storage: Storage): Promise<readonly string[]> {
    const hashes = await storage.read(({ chunks }) => chunks.listHashes(this.#documentId))
    await this.#index.deleteDocument(this.#collection.name, this.#documentId, hashes.length)
    if (hashes.length === 0) return hashes
    if (await this.#hasItsVectors(storage)) {
      this.#isInParts = true
      return hashes
    }
    await this.truncate(0)
    return []
  }

  /** Removes chunks and vectors from an ordinal on. */
  async truncate(fromOrdinal: number): Promise<void> {
    await removeChunks(this.#run, this.#documentId, fromOrdinal)
    await this.#index.deleteDocument(this.#collection.name, this.#documentId, fromOrdinal)
  }

  async write(batch: EmbeddedBatch): Promise<void> {
    this.#waiting.push(batch)
    this.#waitingWindows += batch.windowCount
    if (this.#isCareful || this.#waitingWindows >= WINDOWS_PER_WRITE) await this.flush()
  }

  /**
   * Writes what is waiting, and looks whether what was written before is still there.
   * @throws StorageError where it is not; the next run begins anew
   */
  async finish(storage: Storage): Promise<void> {
    await this.flush()
    if (!this.#isInParts || (await this.#hasItsVectors(storage))) return
    throw new StorageError('vectors of the document are gone that were written before', { isTransient: true })
  }

  /** Writes what is waiting. */
  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const began = performance.now()
    const chunks = this.#waiting.flatMap((batch) => batch.chunks)
    this.#run.signal.throwIfAborted()
    try {
      await this.#index.add(this.#collection, {
        documentId: this.#documentId,
        ...keysOf(chunks, this.#waitingWindows),
        vectors: joined(this.#waiting.map(({ vectors }) => vectors)),
      })
      await this.#run.transaction((repositories) => repositories.chunks.insert(this.#documentId, chunks), {
        isProgress: true,
      })
    } catch (error) {
      await this.#undo(chunks)
      throw error
    }
    this.#isCareful = false
    this.#isInParts ||= this.#hasWritten
    this.#hasWritten = true
    for (const batch of this.#waiting) batch.release()
    this.#waiting = []
    this.#waitingWindows = 0
    this.indexMs += performance.now() - began
  }

  /** Whether each window of its rows has a vector. */
  async #hasItsVectors(storage: Storage): Promise<boolean> {
    const rows = (await storage.read(({ chunks }) => chunks.count([this.#documentId]))).get(this.#documentId)
    const vectors = (await this.#index.countByDocument(this.#collection.name)).get(this.#documentId)
    return rows?.isWhole === true && rows.windows === vectors
  }

  /** Vectors without rows must not stay where the document fails for good; where it does not, the next run removes them. */
  async #undo([first]: readonly NewChunk[]): Promise<void> {
    if (first === undefined) return
    // Whoever holds the job by now may have written vectors of its own there.
    const isHeld = await this.#run.transaction(async () => true).catch(() => false)
    if (!isHeld) return
    await this.#index.deleteDocument(this.#collection.name, this.#documentId, first.ordinal).catch(() => undefined)
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
