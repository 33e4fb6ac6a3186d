import type { JobRun } from '../../jobs/index.js'
import type { DocumentRecord, NewChunk, Storage } from '../../ports/index.js'
import { removeChunks } from './stored-chunks.js'

/** Windows whose chunks one transaction inserts. */
const WINDOWS_PER_WRITE = 1_024
/** The same after a crash, until the first write: progress is recorded soon. */
const WINDOWS_PER_CAREFUL_WRITE = 64
/** Hashes of one read. */
const HASHES_PER_PAGE = 500

/**
 * Writes the chunk rows of one document. Rows of earlier runs stay up to the first one that differs. From there on they
 * are replaced, and their words and vectors no longer count.
 */
export class ChunkWriter {
  readonly #documentId: number
  #waiting: NewChunk[] = []
  #waitingWindows = 0
  #writing: Promise<void> = Promise.resolve()
  #isCareful: boolean
  /** Number of rows that earlier runs have written. They are the document's first ones. */
  #storedCount = 0
  #hashes: { readonly from: number; readonly list: readonly string[] } = { from: 0, list: [] }
  #wordsVersion: number | null
  #embeddedChunks: number
  #embeddedWindows = 0

  constructor(
    private readonly storage: Storage,
    private readonly job: JobRun,
    document: DocumentRecord,
  ) {
    this.#documentId = document.id
    this.#isCareful = job.isRepeated
    this.#wordsVersion = document.wordsVersion
    this.#embeddedChunks = document.embeddedChunks
  }

  /** True if no rows of earlier runs exist. */
  get isAtBeginning(): boolean {
    return this.#storedCount === 0
  }

  /** The document's `wordsVersion`. */
  get wordsVersion(): number | null {
    return this.#wordsVersion
  }

  /** The document's `embeddedChunks`. */
  get embeddedChunks(): number {
    return this.#embeddedChunks
  }

  /** Windows of the embedded chunks, counted up to the last chunk that {@link write} received. */
  get embeddedWindows(): number {
    return this.#embeddedWindows
  }

  /** Finds the rows of earlier runs, and removes rows with gaps between them. */
  async resume(): Promise<void> {
    const counts = await this.storage.read(({ chunks }) => chunks.count([this.#documentId]))
    const rows = counts.get(this.#documentId)
    if (rows?.isWhole === true) this.#storedCount = rows.chunks
    else if (rows !== undefined || this.#embeddedChunks > 0 || this.#wordsVersion !== null) await this.#truncate(0)
  }

  /**
   * Receives the next chunks of the document, in their order.
   * @returns true if it started to write rows
   */
  async write(chunks: readonly NewChunk[]): Promise<boolean> {
    for (const chunk of chunks) {
      if (await this.#isStored(chunk)) {
        if (chunk.ordinal < this.#embeddedChunks) this.#embeddedWindows += chunk.windows.length
        continue
      }
      if (chunk.ordinal < this.#storedCount) await this.#truncate(chunk.ordinal)
      this.#waiting.push(chunk)
      this.#waitingWindows += chunk.windows.length
    }
    const isEnough = this.#waitingWindows >= (this.#isCareful ? WINDOWS_PER_CAREFUL_WRITE : WINDOWS_PER_WRITE)
    return isEnough && (await this.#startWrite())
  }

  /**
   * Writes the waiting chunks, and removes rows after the last chunk.
   * @param count number of the document's chunks
   */
  async end(count: number): Promise<void> {
    await this.#flush()
    if (this.#storedCount > count) await this.#truncate(count)
  }

  async #flush(): Promise<void> {
    await this.#startWrite()
    await this.#writing
  }

  /**
   * Starts to write the waiting chunks, once the previous write is finished. The caller makes further chunks during the
   * write. @returns false if no chunks wait
   */
  async #startWrite(): Promise<boolean> {
    await this.#writing
    const chunks = this.#waiting
    if (chunks.length === 0) return false
    this.#writing = this.job.transaction((repositories) => repositories.chunks.insert(this.#documentId, chunks), {
      isProgress: true,
    })
    // No unhandled rejection: the next `await this.#writing` throws the error.
    this.#writing.catch(() => undefined)
    this.#waiting = []
    this.#waitingWindows = 0
    this.#isCareful = false
    return true
  }

  async #isStored({ ordinal, hash }: NewChunk): Promise<boolean> {
    if (ordinal >= this.#storedCount) return false
    if (ordinal >= this.#hashes.from + this.#hashes.list.length) {
      const page = { ordinal, limit: HASHES_PER_PAGE }
      const list = await this.storage.read(({ chunks }) => chunks.listHashes(this.#documentId, page))
      this.#hashes = { from: ordinal, list }
    }
    return this.#hashes.list[ordinal - this.#hashes.from] === hash
  }

  /** Removes rows from an ordinal on. Hides the words first: searches must never find a part of a document. */
  async #truncate(fromOrdinal: number): Promise<void> {
    this.#wordsVersion = null
    this.#embeddedChunks = Math.min(this.#embeddedChunks, fromOrdinal)
    await this.#writing
    const changes = { wordsVersion: null, embeddedChunks: this.#embeddedChunks }
    await this.job.transaction(({ documents }) => documents.update(this.#documentId, changes))
    await removeChunks(this.job, this.#documentId, fromOrdinal)
    this.#storedCount = fromOrdinal
  }
}
