import { availableParallelism } from 'node:os'
import {
  type IndexedChunk,
  type LexicalAnswer,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
  type LexicalSearchOptions,
  type Telemetry,
  VectorsDamagedError,
} from '../../../src/ports/index.js'
import { CollectionCalls } from '../collection-calls.js'
import { isPurgeDue, type PostingSource } from '../posting-source.js'
import { postingsOf } from '../postings.js'
import { type IsOver, Upkeep } from '../upkeep.js'
import { nothingFound, searchWords, type WordsFound } from '../word-search.js'
import { countChunks, countChunksByDocument, deleteRuns, insertRuns, numbersOf, readState } from './chunk-runs.js'
import { onFile } from './errors.js'
import { addPostings, countPostings } from './posting-rows.js'
import { type InStep, purgePostings } from './purge-postings.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { SqlitePostingSource } from './sqlite-posting-source.js'
import type { WordFile } from './word-file.js'
import { WordFiles } from './word-files.js'

/** How an index in SQLite files behaves. */
export interface SqliteLexicalOptions {
  /** Whether what deletions leave behind is removed in the background. Default true. */
  readonly maintains?: boolean
  /** Milliseconds after which upkeep that failed is tried again. Default 60,000. */
  readonly upkeepRetryMs?: number
  /** Hears of files that could not be kept in order (`words.maintenance.failed`): it is tried again. */
  readonly telemetry?: Telemetry
}

/** What a search found, and where. */
interface FileFound {
  readonly found: WordsFound
  /** Of the file. */
  readonly id: string
  readonly sourceOf: (reader: SqliteConnection) => PostingSource
}

/**
 * An index of words in SQLite, one file for each collection. Its table of postings has all chunks of each term; a search
 * reads those of its terms and adds up BM25 exactly. Deletions only remove chunks from a small table of runs; postings
 * of deleted chunks are purged in the background.
 *
 * One process writes to a folder at a time; others may read.
 */
export class SqliteLexicalIndex implements LexicalIndex {
  readonly #files: WordFiles
  readonly #calls = new CollectionCalls()
  readonly #upkeep: Upkeep
  readonly #maintains: boolean
  /** Collections that were put in order since this process began. */
  readonly #looked = new Set<string>()
  #cleared: Promise<void> | undefined
  /** More make nothing quicker: one thread reads, and another adds up. */
  readonly concurrency: number = availableParallelism() + 1

  /** @param folder of its own, made at the first write */
  constructor(folder: string, options: SqliteLexicalOptions = {}) {
    const { maintains = true, upkeepRetryMs: retryMs = 60_000, telemetry } = options
    this.#files = new WordFiles(folder)
    this.#maintains = maintains
    this.#upkeep = new Upkeep({
      retryMs,
      telemetry,
      tidy: async (collection, isOver) => await onFile(collection, () => this.#tidy(collection, isOver)),
      isGone: () => false,
    })
  }

  async add(collection: string, rows: LexicalRows): Promise<void> {
    this.#calls.refuseIfClosed()
    if (rows.chunks.length === 0) return
    await this.#write(collection, async () => {
      this.#cleared ??= this.#clear()
      await this.#files.useOrMake(collection, async (file) => {
        const writer = await file.writer()
        await writer.transaction(async () => {
          const first = await insertRuns(writer, rows)
          await addPostings(writer, await postingsOf(rows.terms, first))
        })
      })
      this.#lookOnce(collection)
    })
  }

  async search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    this.#calls.refuseIfClosed()
    const searched = await this.#read<FileFound | undefined>(collection, undefined, async (reader) => {
      const { state, counts } = await countPostings(reader, [...query.keys()])
      const sourceOf = (one: SqliteConnection): PostingSource => new SqlitePostingSource(one, state, counts)
      return { found: await searchWords(sourceOf(reader), query, options), id: state.id, sourceOf }
    })
    if (searched === undefined) return nothingFound(query)
    const { hits, maximum } = searched.found
    return { hits, maximum, scoresOf: (chunks) => this.#scoresOf(collection, searched, chunks) }
  }

  async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#write(collection, async () => {
      await this.#files.use(collection, undefined, async (file) => {
        const writer = await file.writer()
        const deleted = await writer.transaction(async () => await deleteRuns(writer, documentId, fromChunk))
        if (deleted > 0 && this.#maintains) this.#upkeep.begin(collection)
      })
    })
  }

  async count(collection: string, documentId: number): Promise<number> {
    return await this.#read(collection, 0, (reader) => countChunks(reader, documentId))
  }

  async countByDocument(collection: string): Promise<ReadonlyMap<number, number>> {
    return await this.#read(collection, new Map<number, number>(), countChunksByDocument)
  }

  async listCollections(): Promise<readonly string[]> {
    this.#calls.refuseIfClosed()
    return await this.#calls.tracked(onFile('all collections', () => this.#files.names()))
  }

  async drop(collection: string): Promise<void> {
    await this.#write(collection, async () => {
      this.#upkeep.forget(collection)
      this.#looked.delete(collection)
      await this.#files.drop(collection)
    })
  }

  /**
   * Copies collections to another folder, as they are at one moment each, while they are written to. Damaged ones are
   * left out.
   */
  async copyTo(folder: string, signal?: AbortSignal): Promise<void> {
    const to = new WordFiles(folder)
    for (const collection of await this.listCollections()) {
      signal?.throwIfAborted()
      try {
        await this.#read(collection, undefined, async (reader) => await to.takeCopy(collection, reader))
      } catch (error) {
        if (!(error instanceof VectorsDamagedError)) throw error
      }
    }
  }

  /** Does the upkeep that is due, and waits for it. Never needed; for tests and measurements. */
  async whenMaintained(): Promise<void> {
    await this.#upkeep.finish(await this.listCollections())
  }

  /** Why the last upkeep failed, unless one has succeeded since. It is tried again. */
  get maintenanceError(): Error | undefined {
    return this.#upkeep.error
  }

  /** Upkeep is broken off after its step, and done later. */
  async close(): Promise<void> {
    if (this.#calls.isClosed) return
    this.#calls.refuse()
    await this.#upkeep.close()
    await this.#calls.settled()
    await this.#cleared
    await onFile('all collections', () => this.#files.close())
  }

  /** By what was found in the file with its id: numbers of another file are of other chunks. */
  async #scoresOf(
    collection: string,
    { found, id, sourceOf }: FileFound,
    chunks: readonly IndexedChunk[],
  ): Promise<readonly number[]> {
    const nothing = chunks.map(() => 0)
    // The file may have been closed since the search, and opened again.
    return await this.#read(collection, nothing, async (reader) => {
      return await found.scoresOf(sourceOf(reader), await numbersOf(reader, id, chunks))
    })
  }

  async #read<T>(collection: string, nothing: T, work: (reader: SqliteConnection) => Promise<T>): Promise<T> {
    this.#calls.refuseIfClosed()
    const use = async (file: WordFile): Promise<T> => await work(await file.reader())
    return await this.#calls.tracked(onFile(collection, () => this.#files.use(collection, nothing, use)))
  }

  async #write(collection: string, work: () => Promise<void>): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#calls.inTurn(collection, async () => await onFile(collection, work))
  }

  /** A former life may have left a purge to be done. */
  #lookOnce(collection: string): void {
    if (!this.#maintains || this.#looked.has(collection)) return
    this.#looked.add(collection)
    this.#upkeep.begin(collection)
  }

  /** From the first write on: whoever only reads removes nothing. What cannot be removed now is tried at a later write. */
  async #clear(): Promise<void> {
    try {
      await this.#files.removeFormer()
    } catch {
      this.#cleared = undefined
    }
  }

  async #tidy(collection: string, isOver: IsOver): Promise<void> {
    const state = await this.#files.use(collection, undefined, async (file) => await readState(await file.reader()))
    if (state === undefined || !isPurgeDue(state)) return
    // Between two steps others write, and may drop the collection.
    const inStep: InStep = async (step) =>
      await this.#calls.inTurn(collection, () =>
        this.#files.use(collection, undefined, async (file) => {
          const writer = await file.writer()
          const isSame = (await readState(writer)).id === state.id
          return isSame && !isOver() ? await writer.transaction(async () => await step(writer)) : undefined
        }),
      )
    await purgePostings(state.deleted, inStep)
  }
}
