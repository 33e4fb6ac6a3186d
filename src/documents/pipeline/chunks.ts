import { termsOf, textParts } from '../../analysis/index.js'
import type { JobRun } from '../../jobs/index.js'
import { hashText } from '../../kernel/hash-text.js'
import { TimeSlice } from '../../kernel/time-slice.js'
import type {
  ChunkGaps,
  ChunkPlace,
  DocumentRecord,
  ExtractedPiece,
  NewChunk,
  Repositories,
  Storage,
  TokenCounter,
  WindowRecord,
} from '../../ports/index.js'
import { type Chunk, Chunker, type ChunkerOptions, splitText } from '../chunking/chunker.js'
import { FormerEnds } from '../chunking/former-ends.js'
import { Gaps } from './gaps.js'
import { Structure } from './structure.js'

/** A chunk with its pages and headings, and with the white space around it. */
export type PlacedChunk = Chunk & ChunkPlace & ChunkGaps

/** Facts about a text. They are complete once {@link chunkStream} is read to its end. */
export interface TextSummary {
  characters: number
  tokens: number
  pages: number | null
  warnings: string[]
  /** Milliseconds spent waiting for the extractor. */
  extractMs: number
}

export function emptySummary(): TextSummary {
  return { characters: 0, tokens: 0, pages: null, warnings: [], extractMs: 0 }
}

/** Cuts text into chunks as it arrives, in short slices, so that the event loop stays free. */
export async function* chunkStream(
  pieces: AsyncIterable<ExtractedPiece>,
  tokenizer: TokenCounter,
  options: ChunkerOptions,
  summary: TextSummary,
  formerEnds?: FormerEnds,
): AsyncGenerator<PlacedChunk> {
  const chunker = new Chunker(tokenizer, options, formerEnds)
  const structure = new Structure()
  const gaps = new Gaps()
  const slice = new TimeSlice()
  const place = (chunk: Chunk): PlacedChunk => {
    return { ...chunk, ...structure.placeOf(chunk), gapBefore: gaps.before(chunk), gapAfter: null }
  }
  // The last chunk has the white space after it, so each chunk waits for the next one.
  let last: PlacedChunk | undefined
  for await (const piece of timed(pieces, summary)) {
    structure.add(piece.marks ?? [], summary.characters)
    summary.pages = piece.pages ?? summary.pages
    summary.warnings.push(...(piece.warnings ?? []))
    for (const text of splitText(piece.text)) {
      summary.characters += text.length
      gaps.add(text)
      for (const chunk of chunker.push(text)) {
        if (last !== undefined) yield last
        last = place(chunk)
        await slice.pauseIfOver()
      }
      gaps.settle(chunker.settled)
      await slice.pauseIfOver()
    }
  }
  for (const chunk of chunker.end()) {
    if (last !== undefined) yield last
    last = place(chunk)
    await slice.pauseIfOver()
  }
  if (last !== undefined) yield { ...last, gapAfter: gaps.end() }
  summary.tokens = chunker.tokens
}

async function* timed<Item>(items: AsyncIterable<Item>, summary: TextSummary): AsyncGenerator<Item> {
  let startedAt = performance.now()
  for await (const item of items) {
    summary.extractMs += performance.now() - startedAt
    yield item
    startedAt = performance.now()
  }
}

/** The chunk with hashes of itself and of its windows, under the model with this fingerprint. */
export async function hashedChunk(
  { text, windows: plainWindows, ...chunk }: PlacedChunk,
  fingerprint: string,
): Promise<NewChunk> {
  const windows = plainWindows.map(async (window): Promise<WindowRecord> => {
    return { ...window, hash: await hashText(`${fingerprint}\0${text.slice(window.start, window.end)}`) }
  })
  // The hash also covers the place and the gaps: a row of an earlier version without them is written again.
  const { pageFirst, pageLast, headings, gapBefore, gapAfter } = chunk
  const placed = JSON.stringify([text, pageFirst, pageLast, headings, gapBefore, gapAfter])
  const hash = await hashText(`${fingerprint}\0${placed}`)
  return { ...chunk, content: text, hash, windows: await Promise.all(windows) }
}

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
  readonly #storage: Storage
  readonly #job: JobRun
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

  constructor(storage: Storage, job: JobRun, document: DocumentRecord) {
    this.#storage = storage
    this.#job = job
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
    const counts = await this.#storage.read(({ chunks }) => chunks.count([this.#documentId]))
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
    this.#writing = this.#job.transaction((repositories) => repositories.chunks.insert(this.#documentId, chunks), {
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
      const list = await this.#storage.read(({ chunks }) => chunks.listHashes(this.#documentId, page))
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
    await this.#job.transaction(({ documents }) => documents.update(this.#documentId, changes))
    await removeChunks(this.#job, this.#documentId, fromOrdinal)
    this.#storedCount = fromOrdinal
  }
}

/** Chunks that one transaction removes. Few, so that other writers wait for one transaction, not for all. */
export const CHUNKS_PER_REMOVAL = 500

/** A storage, or a claimed job. */
interface Transactions {
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>
}

/** Removes the chunks of a document from an ordinal on, in steps. */
export async function removeChunks(storage: Transactions, documentId: number, fromOrdinal: number = 0): Promise<void> {
  const removal = { fromOrdinal, limit: CHUNKS_PER_REMOVAL }
  while ((await storage.transaction(({ chunks }) => chunks.remove(documentId, removal))) > 0);
}

/** Target size of a page in UTF-16 units. Memory holds one page and the next. */
const CHARACTERS_PER_PAGE = 131_072
const [FIRST_PAGE, SMALLEST_PAGE, LARGEST_PAGE] = [32, 4, 256]

/** The stored chunks of a document from an ordinal on. Memory holds pages, not the whole document. */
export async function* storedChunks(
  storage: Storage,
  documentId: number,
  fromOrdinal: number = 0,
): AsyncGenerator<NewChunk> {
  let limit = FIRST_PAGE
  for (let ordinal = fromOrdinal; ; ) {
    const query = { ordinal, limit }
    const page = await storage.read(({ chunks }) => chunks.page(documentId, query))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    ordinal = last.ordinal + 1
    const characters = page.reduce((sum, { content }) => sum + content.length, 0)
    const nextLimit = Math.round((page.length * CHARACTERS_PER_PAGE) / Math.max(1, characters))
    limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, nextLimit))
  }
}

/** About 60 MB of text, and 1 MB of ends. A longer document is cut as if it were new. */
const MAX_FORMER_CHUNKS = 20_000

/** @returns the places at which a version of a document was cut; `undefined` if it is not completed or too long */
export async function readFormerEnds(storage: Storage, versionId: number): Promise<FormerEnds | undefined> {
  const former = await storage.read(({ documents }) => documents.get(versionId))
  if (former === undefined || former.completed === null || former.chunkCount > MAX_FORMER_CHUNKS) return undefined
  const ends = new FormerEnds()
  const slice = new TimeSlice()
  for await (const { content } of storedChunks(storage, versionId)) {
    ends.add(content)
    await slice.pauseIfOver()
  }
  return ends
}

/** The terms of a chunk's text. Made in slices: a chunk may have 8,192 tokens and half a million characters. */
export async function chunkTerms(text: string, slice: TimeSlice): Promise<string[]> {
  const terms: string[] = []
  for (const part of textParts(text)) {
    for (const term of termsOf(part.text)) terms.push(term)
    await slice.pauseIfOver()
  }
  return terms
}

/**
 * Reads one item ahead: the source makes the next item while the caller uses the last one. Throws an error in place of
 * the item that failed. If the caller stops early, it closes the source.
 */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]()
  let next = toOutcome(iterator.next())
  try {
    for (;;) {
      const outcome = await next
      if ('error' in outcome) throw outcome.error
      if (outcome.value.done === true) return
      next = toOutcome(iterator.next())
      yield outcome.value.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** Never rejects: a rejection before the caller awaits it would be unhandled. */
async function toOutcome<T>(promise: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}
