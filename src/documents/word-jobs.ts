import { ANALYZER_VERSION } from '../analysis/index.js'
import { type JobHandler, type JobRun, untilNoBackup } from '../jobs/index.js'
import { DiskUnwritableError } from '../kernel/errors.js'
import { pages } from '../kernel/lists.js'
import {
  type ContextRecord,
  type DocumentRecord,
  displayNameOf,
  type LexicalIndex,
  type Repositories,
  type Storage,
  type Telemetry,
} from '../ports/index.js'
import { collectionsOf, isOfOlderAnalyzer, wordCollectionOf } from './collections.js'
import { enqueueWords, INDEX_WORDS } from './document-jobs.js'
import { IndexWords, type NamedWordsOwner } from './pipeline/index-words.js'
import type { LateWrites } from './pipeline/late-writes.js'
import { storedChunks } from './pipeline/stored-chunks.js'

const DOCUMENTS_PER_PAGE = 200
/** Time of one turn. Then the context waits behind others, so that a large one does not delay small ones. */
const TURN_MS = 30_000
/** Pause after each 10 ms of work, so half of the time stays free for searches and uploads. */
const REST_MS = 10
const RECHECK_MS = 3_600_000

interface Counts {
  indexed: number
  /** Documents that failed. The job retries them. */
  failed: number
  /** The first failure. */
  failure: { readonly error: unknown } | undefined
}

/**
 * Indexes, in the background, the words of a context's completed documents that have no words of this version of the
 * analyzer. Each document is findable by its words once they are indexed. Searches by meaning find it all the time.
 */
export class IndexContextWords implements JobHandler {
  readonly kind: string = INDEX_WORDS

  constructor(
    private readonly storage: Storage,
    private readonly index: LexicalIndex,
    private readonly words: IndexWords,
    private readonly lateWrites: LateWrites,
    private readonly telemetry: Telemetry,
  ) {}

  async run(job: JobRun): Promise<void> {
    const startedAt = performance.now()
    const contextId = job.subject
    const counts: Counts = { indexed: 0, failed: 0, failure: undefined }
    const isAtEnd = await this.#indexDocuments(job, contextId, counts, startedAt + TURN_MS)
    if (counts.failure !== undefined) throw counts.failure.error
    if (!isAtEnd) {
      await job.complete(async (repositories) => await enqueueWords(repositories, contextId))
    } else {
      await untilNoBackup((work) => job.transaction(work), job.signal)
      await this.#dropOlderWords(contextId)
      await job.complete(async () => undefined)
    }
    this.telemetry.record({
      name: 'ingestion.words.indexed',
      level: 'info',
      durationMs: performance.now() - startedAt,
      fields: { contextId, documents: counts.indexed, isAtEnd },
    })
  }

  /** Even a long failure may be transient: the job is retried after an hour. */
  async fail(repositories: Repositories, contextId: number): Promise<void> {
    if ((await repositories.contexts.get(contextId)) === undefined) return
    await enqueueWords(repositories, contextId, { delayMs: RECHECK_MS })
  }

  /** @returns false if the time was over before the last document */
  async #indexDocuments(job: JobRun, contextId: number, counts: Counts, endsAt: number): Promise<boolean> {
    const idPages = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await this.storage.read(({ documents }) => documents.listWithoutWords(contextId, ANALYZER_VERSION, page))
    })
    for await (const ids of idPages) {
      for (const id of ids) {
        job.signal.throwIfAborted()
        if (performance.now() > endsAt) return false
        await untilNoBackup((work) => job.transaction(work), job.signal)
        const [generations, document] = await this.storage.read(async ({ contexts, documents }) => [
          await contexts.generations(contextId),
          await documents.get(id),
        ])
        if (generations === undefined) return true
        if (document === undefined) continue
        const context = { id: contextId, generation: generations.generation }
        await this.#indexDocument(job, { id, context, name: displayNameOf(document) }, counts)
      }
    }
    return true
  }

  /** Counts a failure instead of throwing it, so that the other documents are indexed. */
  async #indexDocument(job: JobRun, document: NamedWordsOwner, counts: Counts): Promise<void> {
    const isWanted = ({ completed }: DocumentRecord): boolean => completed !== null
    try {
      const isIndexed = await this.words.run(document, { job, isWanted, restMs: REST_MS })
      if (isIndexed) counts.indexed += 1
      else await this.lateWrites.removeIfDeleted(document)
    } catch (error) {
      await this.lateWrites.removeIfDeleted(document).catch(() => undefined)
      job.signal.throwIfAborted()
      if (error instanceof DiskUnwritableError) throw error
      counts.failed += 1
      counts.failure ??= { error }
    }
  }

  /** Words of a newer version stay: another process of that version works on the same storage. */
  async #dropOlderWords(contextId: number): Promise<void> {
    for (const name of await collectionsOf(this.index, contextId)) {
      if (isOfOlderAnalyzer(name)) await this.index.drop(name)
    }
  }
}

/** Few: each context may have a megabyte of tools. */
const CONTEXTS_PER_PAGE = 20

export interface RebuildWordsOptions {
  /** The source. It is not changed. */
  readonly storage: Storage
  /** The index that receives the words. */
  readonly index: LexicalIndex
  readonly signal: AbortSignal
  /** Called after each document, with the number of its chunks. */
  readonly onDocument?: (chunks: number) => void
}

/**
 * Indexes the words of a storage's documents in an index that does not have them: for the migration of a database
 * without its word index. Documents that the index has in full stay as they are. Documents without words of this version
 * of the analyzer are left out: the engine indexes them in the background.
 *
 * @returns the number of chunks whose words are in the index
 * @throws StorageError if the index has lost words
 * @throws the signal's reason
 */
export async function rebuildWords({ storage, index, signal, onDocument }: RebuildWordsOptions): Promise<number> {
  const words = new IndexWords(storage, index)
  const beforeWrite = async (): Promise<void> => signal.throwIfAborted()
  let indexedChunks = 0
  for await (const context of liveContexts(storage)) {
    const existing = new Map<number, ReadonlyMap<number, number>>()
    const idPages = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await storage.read(({ documents }) => documents.listIds(context.id, page))
    })
    for await (const ids of idPages) {
      signal.throwIfAborted()
      const found = await storage.read(({ documents }) => documents.find(ids))
      for (const document of found) {
        const { id, completed, deleted, wordsVersion, chunkCount, generation: own } = document
        if (completed === null || deleted !== null || wordsVersion !== ANALYZER_VERSION) continue
        const generation = own ?? context.generation
        const owner = { id: context.id, generation }
        const counts = existing.get(generation) ?? (await index.countByDocument(wordCollectionOf(owner)))
        existing.set(generation, counts)
        if (counts.get(id) !== chunkCount) {
          const named = { id, context: owner, name: displayNameOf(document) }
          await words.write(named, storedChunks(storage, id), { beforeWrite })
        }
        indexedChunks += chunkCount
        onDocument?.(chunkCount)
      }
    }
  }
  return indexedChunks
}

async function* liveContexts(storage: Storage): AsyncGenerator<ContextRecord> {
  const contextPages = pages(
    CONTEXTS_PER_PAGE,
    async (page) => await storage.read(({ contexts }) => contexts.page(page)),
  )
  for await (const contexts of contextPages) for (const context of contexts) if (context.deleted === null) yield context
}

const COUNTED_PER_PAGE = 5_000

/** @returns the number of completed documents of a context that this version of the analyzer has not indexed */
export async function countWithoutWords(storage: Storage, contextId: number): Promise<number> {
  let count = 0
  const idPages = pages(COUNTED_PER_PAGE, async (page) => {
    return await storage.read(({ documents }) => documents.listWithoutWords(contextId, ANALYZER_VERSION, page))
  })
  for await (const ids of idPages) count += ids.length
  return count
}
