import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import {
  type DocumentIds,
  findSimilar,
  type IndexedChunk,
  type LexicalAnswer,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
  type LexicalSearchOptions,
  type LexicalStatistics,
  type Telemetry,
  type TermCount,
  VectorsDamagedError,
} from '../../../src/ports/index.js'
import { CollectionCalls, requireWritable, usedBytesOf } from '../../node-kit/index.js'
import { BackgroundMaintenance, type IsStopped } from '../background-maintenance.js'
import { MergedCache } from '../merged-postings.js'
import { isPurgeDue, type PostingSource } from '../posting-source.js'
import { postingsOf } from '../postings.js'
import { PurgeTimes } from '../purge-times.js'
import { SimilarCache } from '../similar-cache.js'
import { countTerms } from '../term-counts.js'
import type { WordGroups } from '../word-groups.js'
import { NO_STATISTICS, nothingFound, readStatistics, searchWords, type WordsFound } from '../word-search.js'
import {
  countChunks,
  countChunksByDocument,
  deleteRuns,
  insertRuns,
  readNumbers,
  readState,
  replaceRuns,
} from './chunk-runs.js'
import { withFileErrors } from './errors.js'
import { FileChecks } from './file-checks.js'
import { PostingCache, type PostingMark } from './posting-cache.js'
import {
  addPostings,
  countPostings,
  purgePostings,
  type RunStep,
  readTerms,
  SqlitePostingSource,
} from './posting-rows.js'
import { type KnownRuns, RunCache } from './run-cache.js'
import { vocabularyOf } from './similar-rows.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { type WordFile, WordFiles } from './word-files.js'

/** Options of a word index in SQLite files. */
export interface SqliteLexicalOptions {
  /** True to purge deleted chunks in the background. Default: true. */
  readonly maintains?: boolean
  /** Receives reports of maintenance that failed (`words.maintenance.failed`). It is retried. */
  readonly telemetry?: Telemetry
}

/** The number of collections that count as checked. Each takes about 100 bytes. */
const MAX_CHECKED = 10_000

/** The result of a search, with the file that it read and the connection for it. */
interface SearchedFile {
  readonly found: WordsFound
  readonly groups: WordGroups
  /** The id of the file. */
  readonly id: string
  readonly connection: SqliteConnection
  /** The runs of the file, if they are in memory. */
  readonly runs: KnownRuns | undefined
  readonly sourceOf: (reader: SqliteConnection) => PostingSource
}

/**
 * A word index in SQLite, one file for each collection. A table of postings has all chunks of each term. A search reads
 * the postings of its terms, from memory or from the file, and adds up BM25 exactly. Deletions only remove chunks from a
 * small table of runs. Maintenance purges postings of deleted chunks in the background.
 *
 * One process writes to a folder at a time; others may read.
 */
export class SqliteLexicalIndex implements LexicalIndex {
  readonly #files: WordFiles
  readonly #calls = new CollectionCalls('the word index')
  readonly #cache = new PostingCache()
  readonly #runs = new RunCache()
  readonly #similar = new SimilarCache<PostingMark>()
  readonly #merged = new MergedCache()
  readonly #checks: FileChecks
  readonly #maintenance: BackgroundMaintenance
  readonly #maintains: boolean
  /**
   * Collections that maintenance has checked since this process started. A lost entry is harmless: maintenance checks
   * the collection once more, which reads one row.
   */
  readonly #checked = new LRUCache<string, true>({ max: MAX_CHECKED })
  readonly #purges = new PurgeTimes()
  /** More concurrent calls are not faster: one thread reads, and another adds up. One more is for another company. */
  readonly concurrency: number = availableParallelism() + 2

  /** @param folder a folder that only this index uses; the first write creates it */
  constructor(
    private readonly folder: string,
    options: SqliteLexicalOptions = {},
  ) {
    const { maintains = true, telemetry } = options
    this.#files = new WordFiles(folder)
    this.#maintains = maintains
    this.#checks = new FileChecks(folder, async (collection, check) => {
      await this.#calls.track(this.#files.use(collection, undefined, check))
    })
    this.#maintenance = new BackgroundMaintenance({
      telemetry,
      maintain: async (collection, isStopped) =>
        await withFileErrors(this.folder, collection, () => this.#purgeIfDue(collection, isStopped)),
      isDropped: () => false,
    })
  }

  async add(collection: string, rows: LexicalRows): Promise<void> {
    this.#calls.refuseIfClosed()
    if (rows.chunks.length === 0) return
    await this.#write(collection, async () => {
      this.#checks.refuseIfDamaged(collection)
      let replaced = 0
      await this.#files.useOrMake(collection, async (file) => {
        const writer = await file.writer()
        await writer.transaction(async () => {
          replaced = await replaceRuns(writer, rows)
          const first = await insertRuns(writer, rows)
          await addPostings(writer, await postingsOf(rows, first))
        })
      })
      if (replaced > 0 && this.#maintains) this.#maintenance.schedule(collection)
      this.#checkOnce(collection)
    })
  }

  async search(collection: string, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    this.#calls.refuseIfClosed()
    const searched = await this.#read<SearchedFile | undefined>(collection, undefined, async (reader) => {
      const terms = [...query.keys()]
      const { state, marks, groups } = await this.#count(collection, reader, terms, options.similarTo)
      const runs = await this.#runs.read(collection, reader, state)
      const sourceOf = (one: SqliteConnection): PostingSource =>
        new SqlitePostingSource(one, state, marks, this.#cache, this.#merged, runs)
      const found = await searchWords(sourceOf(reader), query, options, groups)
      return { found, groups, id: state.id, connection: reader, runs, sourceOf }
    })
    if (searched === undefined) return nothingFound(query, options)
    const { hits, maximum, idfs, shortfall } = searched.found
    const answer = { hits, maximum, idfs, shortfall, similar: searched.groups }
    return { ...answer, scoresOf: (chunks) => this.#scoresOf(collection, searched, chunks) }
  }

  async statistics(
    collection: string,
    terms: readonly string[],
    similarTo?: ReadonlySet<string>,
  ): Promise<LexicalStatistics> {
    return await this.#read(collection, NO_STATISTICS, async (reader) => {
      const { state, marks, groups } = await this.#count(collection, reader, terms, similarTo)
      return await readStatistics(
        new SqlitePostingSource(reader, state, marks, this.#cache, this.#merged),
        terms,
        groups,
      )
    })
  }

  async countTerms(
    collection: string,
    terms: readonly string[],
    { documents }: { readonly documents?: DocumentIds } = {},
  ): Promise<ReadonlyMap<string, TermCount>> {
    return await this.#read(collection, new Map<string, TermCount>(), async (reader) => {
      const { state, marks } = await countPostings(reader, terms)
      return await countTerms(
        new SqlitePostingSource(reader, state, marks, this.#cache, this.#merged),
        terms,
        documents,
      )
    })
  }

  async findTerms(collection: string, prefixes: readonly string[]): Promise<readonly string[]> {
    return await this.#read(collection, [], async (reader) => await readTerms(reader, prefixes))
  }

  async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#write(collection, async () => {
      this.#checks.refuseIfDamaged(collection)
      await this.#files.use(collection, undefined, async (file) => {
        const writer = await file.writer()
        const deleted = await writer.transaction(async () => await deleteRuns(writer, documentId, fromChunk))
        if (deleted > 0 && this.#maintains) this.#maintenance.schedule(collection)
      })
    })
  }

  async count(collection: string, documentId: number): Promise<number> {
    return await this.#read(collection, 0, (reader) => countChunks(reader, documentId))
  }

  /** Reads the whole file first, if this process has not: the sweep at a start finds damaged files. */
  async countByDocument(collection: string): Promise<ReadonlyMap<number, number>> {
    this.#checkOnce(collection)
    await this.#checks.whole(collection)
    return await this.#read(collection, new Map<number, number>(), countChunksByDocument)
  }

  async listCollections(): Promise<readonly string[]> {
    this.#calls.refuseIfClosed()
    return await this.#calls.track(withFileErrors(this.folder, 'all collections', () => this.#files.names()))
  }

  async requireWritable(): Promise<void> {
    await requireWritable(this.folder, 'words')
  }

  async usedBytes(): Promise<number | undefined> {
    return await usedBytesOf(this.folder).catch(() => undefined)
  }

  async drop(collection: string): Promise<void> {
    await this.#write(collection, async () => {
      this.#maintenance.forget(collection)
      this.#checked.delete(collection)
      this.#checks.forget(collection)
      await this.#files.drop(collection)
    })
  }

  /**
   * Copies collections to another folder while they are in use. Each copy is consistent. Damaged collections are left
   * out.
   */
  async copyTo(folder: string, signal?: AbortSignal): Promise<void> {
    const to = new WordFiles(folder)
    for (const collection of await this.listCollections()) {
      signal?.throwIfAborted()
      try {
        await this.#read(collection, undefined, async (reader) => await to.copyFrom(collection, reader))
      } catch (error) {
        if (!(error instanceof VectorsDamagedError)) throw error
      }
    }
  }

  /** Removes the postings of deleted chunks from the files now, also if they are few. */
  async purge(): Promise<void> {
    this.#purges.ignore()
    await this.#maintenance.finish(await this.listCollections())
    if (this.#maintenance.error !== undefined) throw this.#maintenance.error
  }

  /** Does the maintenance that is due, and waits for it. No host needs this call; it is for tests and measurements. */
  async whenMaintained(): Promise<void> {
    await this.#maintenance.finish(await this.listCollections())
  }

  /** The error of the last maintenance; `undefined` once maintenance has succeeded. Failed work is retried. */
  get maintenanceError(): Error | undefined {
    return this.#maintenance.error
  }

  /** Stops maintenance after its step in progress; the rest is done later. */
  async close(): Promise<void> {
    if (this.#calls.isClosed) return
    this.#calls.refuse()
    await this.#maintenance.close()
    await this.#calls.waitForCalls()
    this.#cache.clear()
    this.#runs.clear()
    this.#similar.clear()
    this.#merged.clear()
    await withFileErrors(this.folder, 'all collections', () => this.#files.close())
  }

  /** Counts the postings of terms, and of the terms that are like those of `similarTo`. */
  async #count(
    collection: string,
    reader: SqliteConnection,
    terms: readonly string[],
    similarTo: ReadonlySet<string> | undefined,
  ): Promise<Awaited<ReturnType<typeof countPostings>> & { readonly groups: WordGroups }> {
    return await this.#similar.count(collection, terms, similarTo, {
      count: async (members) => await countPostings(reader, members),
      findSimilar: async (words, { id }) => {
        const marks = new Map<string, PostingMark>()
        const vocabulary = vocabularyOf(reader, (term, mark, postings) => {
          marks.set(term, mark)
          if (postings !== undefined) this.#cache.set(id, term, [postings])
        })
        return { groups: await findSimilar(vocabulary, words), marks }
      },
    })
  }

  /**
   * Reads the scores only from the file that was searched, by its id: in another file, the numbers mean other chunks.
   */
  async #scoresOf(
    collection: string,
    { found, id, connection, runs, sourceOf }: SearchedFile,
    chunks: readonly IndexedChunk[],
  ): Promise<readonly number[]> {
    const emptyResult = chunks.map(() => 0)
    // The file may have been closed since the search, and opened again.
    return await this.#read(collection, emptyResult, async (reader) => {
      const isUnchanged = runs !== undefined && reader === connection && this.#runs.has(collection, runs)
      const numbers = isUnchanged ? runs.numbersOf(chunks) : await readNumbers(reader, id, chunks)
      return await found.scoresOf(sourceOf(reader), numbers)
    })
  }

  async #read<T>(collection: string, emptyResult: T, work: (reader: SqliteConnection) => Promise<T>): Promise<T> {
    this.#calls.refuseIfClosed()
    const use = async (file: WordFile): Promise<T> => {
      await this.#checks.beforeRead(collection, file)
      return await work(await file.reader())
    }
    const read = async (): Promise<T> => await this.#files.use(collection, emptyResult, use)
    return await this.#calls.track(this.#checks.noting(collection, read))
  }

  async #write(collection: string, work: () => Promise<void>): Promise<void> {
    this.#calls.refuseIfClosed()
    await this.#calls.runInTurn(collection, async () => {
      try {
        await this.#checks.noting(collection, work)
      } finally {
        this.#runs.forget(collection)
      }
    })
  }

  /** An earlier process may have left postings to purge. */
  #checkOnce(collection: string): void {
    if (!this.#maintains || this.#checked.get(collection) === true) return
    this.#checked.set(collection, true)
    this.#maintenance.schedule(collection)
  }

  /** Removes the postings of deleted chunks, soon after their deletion. */
  async #purgeIfDue(collection: string, isStopped: IsStopped): Promise<void> {
    const state = await this.#files.use(collection, undefined, async (file) => await readState(await file.reader()))
    if (state === undefined || state.deleted === 0) return
    const waitMs = this.#purges.waitMs(collection, isPurgeDue(state))
    if (waitMs > 0) {
      this.#maintenance.scheduleLater(collection, waitMs)
      return
    }
    const startedAt = performance.now()
    // Between two steps, other calls write, and may drop the collection.
    const runStep: RunStep = async (step) =>
      await this.#calls.runInTurn(collection, () =>
        this.#files.use(collection, undefined, async (file) => {
          const writer = await file.writer()
          const isSame = (await readState(writer)).id === state.id
          return isSame && !isStopped() ? await step(writer) : undefined
        }),
      )
    await purgePostings(state.deleted, runStep)
    this.#purges.note(collection, performance.now() - startedAt)
  }
}
