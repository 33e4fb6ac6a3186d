import { ANALYZER_VERSION } from '../analysis/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { untilNoBackup } from '../jobs/index.js'
import { StorageFullError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import type { DocumentRecord, LexicalIndex, Repositories, Storage, Telemetry } from '../ports/index.js'
import { collectionsOf, isOfOlderAnalyzer, wordCollectionOf } from './collections.js'
import { enqueueWords, INDEX_WORDS } from './enqueue.js'
import { storedChunks } from './pipeline/chunk-writer.js'
import { IndexWords } from './pipeline/index-words.js'
import type { LateWrites } from './pipeline/late-writes.js'

const DOCUMENTS_PER_PAGE = 200
/** A context works that long at a time; then it waits behind others, so that a small one need not wait for a large one. */
const TURN_MS = 30_000
/** The work rests as long as it works: searches and uploads come first. */
const REST_MS = 10
const RECHECK_MS = 3_600_000

interface Counts {
  indexed: number
  /** Documents that failed; their job tries them again. */
  failed: number
  /** The first of the failures. */
  failure: { readonly error: unknown } | undefined
}

/**
 * Indexes, in the background, the words of a context's completed documents that have none, or have those of another
 * version of the analyzer. One document after the other can be found by its words; by its meaning it is found all along.
 */
export class IndexContextWords implements JobHandler {
  readonly kind: string = INDEX_WORDS
  readonly #storage: Storage
  readonly #index: LexicalIndex
  readonly #words: IndexWords
  readonly #lateWrites: LateWrites
  readonly #telemetry: Telemetry

  constructor(storage: Storage, index: LexicalIndex, words: IndexWords, lateWrites: LateWrites, telemetry: Telemetry) {
    this.#storage = storage
    this.#index = index
    this.#words = words
    this.#lateWrites = lateWrites
    this.#telemetry = telemetry
  }

  async run(run: JobRun): Promise<void> {
    const began = performance.now()
    const contextId = run.subject
    const counts: Counts = { indexed: 0, failed: 0, failure: undefined }
    const isAtEnd = await this.#indexAll(run, contextId, counts, began + TURN_MS)
    if (counts.failure !== undefined) throw counts.failure.error
    if (!isAtEnd) {
      await run.complete(async (repositories) => await enqueueWords(repositories, contextId))
    } else {
      await untilNoBackup((work) => run.transaction(work), run.signal)
      await this.#dropOlder(contextId)
      await run.complete(async () => undefined)
    }
    this.#telemetry.record({
      name: 'ingestion.words.indexed',
      level: 'info',
      durationMs: performance.now() - began,
      fields: { contextId, documents: counts.indexed, isAtEnd },
    })
  }

  /** Failures may be transient, however long they last: the job is tried again in an hour. */
  async fail(repositories: Repositories, contextId: number): Promise<void> {
    if ((await repositories.contexts.get(contextId)) === undefined) return
    await enqueueWords(repositories, contextId, { delayMs: RECHECK_MS })
  }

  /** @returns false where time has run out before the last document */
  async #indexAll(run: JobRun, contextId: number, counts: Counts, until: number): Promise<boolean> {
    const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await this.#storage.read(({ documents }) => documents.listWithoutWords(contextId, ANALYZER_VERSION, page))
    })
    for await (const ids of listed) {
      for (const id of ids) {
        run.signal.throwIfAborted()
        if (performance.now() > until) return false
        await untilNoBackup((work) => run.transaction(work), run.signal)
        await this.#indexOne(run, { id, contextId }, counts)
      }
    }
    return true
  }

  /** A document that fails keeps none of the others from being indexed. */
  async #indexOne(run: JobRun, document: { id: number; contextId: number }, counts: Counts): Promise<void> {
    const isWanted = ({ completed }: DocumentRecord): boolean => completed !== null
    try {
      const isDone = await this.#words.run(document, { run, isWanted, restMs: REST_MS })
      if (isDone) counts.indexed += 1
      else await this.#lateWrites.removeIfDeleted(document)
    } catch (error) {
      await this.#lateWrites.removeIfDeleted(document).catch(() => undefined)
      run.signal.throwIfAborted()
      if (error instanceof StorageFullError) throw error
      counts.failed += 1
      counts.failure ??= { error }
    }
  }

  /** Words of a newer version belong to a process that knows it, and works on the same storage. */
  async #dropOlder(contextId: number): Promise<void> {
    for (const name of await collectionsOf(this.#index, contextId)) {
      if (isOfOlderAnalyzer(name)) await this.#index.drop(name)
    }
  }
}

/** Each may have a megabyte of tools. */
const CONTEXTS_PER_PAGE = 20

export interface RebuildWordsOptions {
  /** Read, and not written to. */
  readonly storage: Storage
  /** Where the words are to be. */
  readonly index: LexicalIndex
  readonly signal: AbortSignal
  /** Told of each document, with the number of its chunks. */
  readonly onDocument?: (chunks: number) => void
}

/**
 * Makes the words of a storage's documents anew, in an index that lacks them: for a database that moves elsewhere
 * without its word index. Those of documents that have no words by this version of the analyzer are left to the engine,
 * which indexes them in the background; what the index has of a document already, in full, stays.
 *
 * @returns the chunks whose words are in the index
 * @throws StorageError where the index does not keep what it is given
 * @throws the signal's reason
 */
export async function rebuildWords({ storage, index, signal, onDocument }: RebuildWordsOptions): Promise<number> {
  const words = new IndexWords(storage, index)
  const beforeWrite = async (): Promise<void> => signal.throwIfAborted()
  let all = 0
  for await (const contextId of liveContexts(storage)) {
    const there = await index.countByDocument(wordCollectionOf(contextId))
    const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await storage.read(({ documents }) => documents.listLiveIds(contextId, page))
    })
    for await (const ids of listed) {
      signal.throwIfAborted()
      const found = await storage.read(({ documents }) => documents.find(ids))
      for (const { id, completed, wordsVersion, chunkCount } of found) {
        if (completed === null || wordsVersion !== ANALYZER_VERSION) continue
        if (there.get(id) !== chunkCount)
          await words.write({ id, contextId }, storedChunks(storage, id), { beforeWrite })
        all += chunkCount
        onDocument?.(chunkCount)
      }
    }
  }
  return all
}

async function* liveContexts(storage: Storage): AsyncGenerator<number> {
  const listed = pages(CONTEXTS_PER_PAGE, async (page) => await storage.read(({ contexts }) => contexts.page(page)))
  for await (const contexts of listed) for (const { id, deleted } of contexts) if (deleted === null) yield id
}

const COUNTED_PER_PAGE = 5_000

/** How many completed documents of a context are not indexed by this version of the analyzer. */
export async function countWithoutWords(storage: Storage, contextId: number): Promise<number> {
  let count = 0
  const listed = pages(COUNTED_PER_PAGE, async (page) => {
    return await storage.read(({ documents }) => documents.listWithoutWords(contextId, ANALYZER_VERSION, page))
  })
  for await (const ids of listed) count += ids.length
  return count
}
