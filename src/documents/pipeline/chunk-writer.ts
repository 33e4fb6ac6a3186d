import type { JobRun } from '../../jobs/index.js'
import type { DocumentRecord, NewChunk, Repositories, Storage } from '../../ports/index.js'

/** Windows whose chunks one transaction inserts. */
const WINDOWS_PER_WRITE = 1_024
/** After a crash: progress is recorded soon. */
const WINDOWS_PER_CAREFUL_WRITE = 64
/** Hashes that are read at once. */
const HASHES_PER_PAGE = 500

/**
 * Writes the chunk rows of one document. Rows that an earlier run has written stay, as far as they are the same chunks;
 * from the first other one on they are replaced, and what was made of them counts no more.
 */
export class ChunkWriter {
  readonly #storage: Storage
  readonly #run: JobRun
  readonly #documentId: number
  #waiting: NewChunk[] = []
  #waitingWindows = 0
  #writing: Promise<void> = Promise.resolve()
  #isCareful: boolean
  /** So many rows of an earlier run are there, the first ones. */
  #stored = 0
  #hashes: { readonly from: number; readonly list: readonly string[] } = { from: 0, list: [] }
  #wordsVersion: number | null
  #embeddedChunks: number
  #embeddedWindows = 0

  constructor(storage: Storage, run: JobRun, document: DocumentRecord) {
    this.#storage = storage
    this.#run = run
    this.#documentId = document.id
    this.#isCareful = run.isRepeated
    this.#wordsVersion = document.wordsVersion
    this.#embeddedChunks = document.embeddedChunks
  }

  /** Whether no rows of an earlier run are there. */
  get isAtBeginning(): boolean {
    return this.#stored === 0
  }

  /** The document's `wordsVersion`. */
  get wordsVersion(): number | null {
    return this.#wordsVersion
  }

  /** The document's `embeddedChunks`. */
  get embeddedChunks(): number {
    return this.#embeddedChunks
  }

  /** Windows of these chunks, of those that have been given so far. */
  get embeddedWindows(): number {
    return this.#embeddedWindows
  }

  /** Looks for rows of an earlier run. Rows with gaps are removed. */
  async resume(): Promise<void> {
    const counts = await this.#storage.read(({ chunks }) => chunks.count([this.#documentId]))
    const rows = counts.get(this.#documentId)
    if (rows?.isWhole === true) this.#stored = rows.chunks
    else if (rows !== undefined || this.#embeddedChunks > 0 || this.#wordsVersion !== null) await this.#truncate(0)
  }

  /**
   * Takes the next chunks of the document, in their order.
   * @returns whether rows are written
   */
  async write(chunks: readonly NewChunk[]): Promise<boolean> {
    for (const chunk of chunks) {
      if (await this.#isStored(chunk)) {
        if (chunk.ordinal < this.#embeddedChunks) this.#embeddedWindows += chunk.windows.length
        continue
      }
      if (chunk.ordinal < this.#stored) await this.#truncate(chunk.ordinal)
      this.#waiting.push(chunk)
      this.#waitingWindows += chunk.windows.length
    }
    const isEnough = this.#waitingWindows >= (this.#isCareful ? WINDOWS_PER_CAREFUL_WRITE : WINDOWS_PER_WRITE)
    return isEnough && (await this.#begin())
  }

  /**
   * Writes what is waiting, and removes rows behind the last chunk.
   * @param count chunks that the document has
   */
  async end(count: number): Promise<void> {
    await this.#flush()
    if (this.#stored > count) await this.#truncate(count)
  }

  async #flush(): Promise<void> {
    await this.#begin()
    await this.#writing
  }

  /** Begins to write what is waiting, once what was begun before has ended: further chunks are made meanwhile. */
  async #begin(): Promise<boolean> {
    await this.#writing
    const chunks = this.#waiting
    if (chunks.length === 0) return false
    this.#writing = this.#run.transaction((repositories) => repositories.chunks.insert(this.#documentId, chunks), {
      isProgress: true,
    })
    // Whoever writes next is told.
    this.#writing.catch(() => undefined)
    this.#waiting = []
    this.#waitingWindows = 0
    this.#isCareful = false
    return true
  }

  async #isStored({ ordinal, hash }: NewChunk): Promise<boolean> {
    if (ordinal >= this.#stored) return false
    if (ordinal >= this.#hashes.from + this.#hashes.list.length) {
      const from = { ordinal, limit: HASHES_PER_PAGE }
      const list = await this.#storage.read(({ chunks }) => chunks.listHashes(this.#documentId, from))
      this.#hashes = { from: ordinal, list }
    }
    return this.#hashes.list[ordinal - this.#hashes.from] === hash
  }

  /** Removes rows from an ordinal on. The words are hidden first: half of a document is never found. */
  async #truncate(fromOrdinal: number): Promise<void> {
    this.#wordsVersion = null
    this.#embeddedChunks = Math.min(this.#embeddedChunks, fromOrdinal)
    await this.#writing
    const changes = { wordsVersion: null, embeddedChunks: this.#embeddedChunks }
    await this.#run.transaction(({ documents }) => documents.update(this.#documentId, changes))
    await removeChunks(this.#run, this.#documentId, fromOrdinal)
    this.#stored = fromOrdinal
  }
}

/** A page has about so many characters, and is held while the next one is read. */
const CHARACTERS_PER_PAGE = 131_072
const [FIRST_PAGE, SMALLEST_PAGE, LARGEST_PAGE] = [32, 4, 256]

/** The chunks of a document from an ordinal on, as they are stored: a page at a time, whatever the document's size. */
export async function* storedChunks(
  storage: Storage,
  documentId: number,
  fromOrdinal: number = 0,
): AsyncGenerator<NewChunk> {
  let limit = FIRST_PAGE
  for (let ordinal = fromOrdinal; ; ) {
    const from = { ordinal, limit }
    const page = await storage.read(({ chunks }) => chunks.page(documentId, from))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    ordinal = last.ordinal + 1
    const characters = page.reduce((sum, { content }) => sum + content.length, 0)
    const wanted = Math.round((page.length * CHARACTERS_PER_PAGE) / Math.max(1, characters))
    limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, wanted))
  }
}

/** Chunks that one transaction removes: whoever writes meanwhile waits for one, not for all. */
export const CHUNKS_PER_REMOVAL = 500

/** Whatever makes transactions: a storage, or a job that is held. */
interface Transactions {
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>
}

/** Removes the chunks of a document from an ordinal on, in steps. */
export async function removeChunks(storage: Transactions, documentId: number, fromOrdinal: number = 0): Promise<void> {
  const removal = { fromOrdinal, limit: CHUNKS_PER_REMOVAL }
  while ((await storage.transaction(({ chunks }) => chunks.remove(documentId, removal))) > 0);
}
