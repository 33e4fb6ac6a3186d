import type { JobRun } from '../../jobs/index.js'
import { StorageError } from '../../kernel/errors.js'
import type { NewChunk, VectorCollection, VectorIndex } from '../../ports/index.js'
import type { EmbeddedBatch } from './window-embedder.js'

/** Windows of one addition to the index: few, large additions are faster. */
const WINDOWS_PER_WRITE = 1_024

/**
 * Writes the vectors of one document, in the order of its chunks. After each write it records the progress:
 * `embeddedChunks` counts only chunks whose vectors are written. Searches see none of it until the document is completed.
 */
export class VectorWriter {
  #waiting: EmbeddedBatch[] = []
  #waitingWindows = 0
  /** True if an earlier run may have crashed the process before its first write: then each batch is written at once. */
  #isCareful: boolean
  /** True if vectors were written some time ago, by this run or an earlier one: by now they may be lost. */
  #isInParts = false
  #hasWritten = false
  /** Milliseconds spent writing. */
  indexMs = 0

  constructor(
    private readonly index: VectorIndex,
    private readonly job: JobRun,
    private readonly collection: VectorCollection,
    private readonly documentId: number,
  ) {
    this.#isCareful = job.isRepeated
  }

  /**
   * Removes vectors that the document's record does not count. If some of the counted ones are missing, removes all: after
   * a power cut only the database's record may be on the disk, or a repair may have dropped the collection.
   *
   * @param embeddedChunks number of embedded chunks in the record
   * @param windows number of their windows
   * @returns the ordinal of the first chunk whose vectors must be written
   */
  async resume(embeddedChunks: number, windows: number): Promise<number> {
    await this.#remove(embeddedChunks)
    if (embeddedChunks === 0) return 0
    if ((await this.#count()) === windows) {
      this.#isInParts = true
      return embeddedChunks
    }
    await this.job.transaction(({ documents }) => documents.update(this.documentId, { embeddedChunks: 0 }))
    await this.#remove(0)
    return 0
  }

  async write(batch: EmbeddedBatch): Promise<void> {
    this.#waiting.push(batch)
    this.#waitingWindows += batch.windowCount
    if (this.#isCareful || this.#waitingWindows >= WINDOWS_PER_WRITE) await this.#flush()
  }

  /**
   * Writes the waiting batches, and checks that the vectors of earlier writes still exist.
   * @param windows number of windows of the whole document
   * @throws StorageError if some are missing; the next run computes the vectors a second time
   */
  async finish(windows: number): Promise<void> {
    await this.#flush()
    if (!this.#isInParts || (await this.#count()) === windows) return
    throw new StorageError('vectors that were written for the document are missing', { isTransient: true })
  }

  /** Adds vectors to the index. Records nothing. */
  async add(batches: readonly EmbeddedBatch[]): Promise<void> {
    const startedAt = performance.now()
    const chunks = batches.flatMap((batch) => batch.chunks)
    const windowCount = batches.reduce((sum, batch) => sum + batch.windowCount, 0)
    this.job.signal.throwIfAborted()
    try {
      await this.index.add(this.collection, {
        documentId: this.documentId,
        ...keysOf(chunks, windowCount),
        vectors: concatenated(batches.map(({ vectors }) => vectors)),
      })
    } catch (error) {
      await this.#undo(chunks)
      throw error
    }
    this.indexMs += performance.now() - startedAt
  }

  /** Removes vectors that were added but not recorded: they must not stay if the document fails for good. */
  async #undo([first]: readonly NewChunk[]): Promise<void> {
    if (first === undefined) return
    // Without the job's lease, another worker may have written the vectors that it would remove.
    const hasLease = await this.job.transaction(async () => true).catch(() => false)
    if (hasLease) await this.#remove(first.ordinal).catch(() => undefined)
  }

  async #flush(): Promise<void> {
    const batches = this.#waiting
    const chunks = batches.flatMap((batch) => batch.chunks)
    const last = chunks.at(-1)
    if (last === undefined) return
    await this.add(batches)
    const startedAt = performance.now()
    const changes = { embeddedChunks: last.ordinal + 1 }
    try {
      await this.job.transaction(({ documents }) => documents.update(this.documentId, changes), { isProgress: true })
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
    this.indexMs += performance.now() - startedAt
  }

  async #remove(fromOrdinal: number): Promise<void> {
    await this.index.deleteDocument(this.collection.name, this.documentId, fromOrdinal)
  }

  async #count(): Promise<number> {
    return await this.index.count(this.collection.name, this.documentId)
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

function concatenated(arrays: readonly Float32Array[]): Float32Array {
  const result = new Float32Array(arrays.reduce((length, array) => length + array.length, 0))
  let offset = 0
  for (const array of arrays) {
    result.set(array, offset)
    offset += array.length
  }
  return result
}
