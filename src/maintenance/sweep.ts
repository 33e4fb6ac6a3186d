import { ANALYZER_VERSION } from '../analysis/index.js'
import { PURGE_ACCOUNT, PURGE_CONTEXT } from '../contexts/index.js'
import {
  type CollectionIndex,
  companyOfContext,
  contextOfCollection,
  enqueueMissingWords,
  INDEX_WORDS,
  INGEST_DOCUMENT,
  ingestionJob,
  isOfOlderAnalyzer,
  isUnfinished,
  PURGE_DOCUMENT,
} from '../documents/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { inParts } from '../kernel/in-parts.js'
import {
  type DocumentRecord,
  type FileStore,
  type LexicalIndex,
  type NewJob,
  type Repositories,
  type Storage,
  type Telemetry,
  type VectorIndex,
  VectorsDamagedError,
} from '../ports/index.js'
import { PURGE_COMPANY } from '../tenancy/index.js'

/** What a sweep found and removed, or put back to work. */
interface SweepCounts {
  /** Documents that were not done: each of them has a job now. */
  readonly documentsResumed: number
  /** Deleted documents and contexts that were not cleared away, likewise. */
  readonly purgesResumed: number
  readonly filesRemoved: number
  /** Collections of vectors without a context. */
  readonly collectionsDropped: number
  /** Documents that have vectors but no row. */
  readonly vectorOrphansRemoved: number
  /** Collections of words without a context, or of an older version of the analyzer that no search reads any more. */
  readonly wordCollectionsDropped: number
  /** Documents that have words but no row. */
  readonly wordOrphansRemoved: number
}

/**
 * An upload in another process to which nothing was written for so long has ended with that process. One that is
 * alive gives up when nothing comes for `UPLOAD_TTL_MS`, which is minutes; a file store that writes in large parts
 * may write one of them in hours, where the bytes trickle in.
 */
const ABANDONED_UPLOAD_MS = 24 * 60 * 60_000
/** Whoever writes something at the start waits for one such transaction, not for all. */
const JOBS_PER_TRANSACTION = 200

/** Jobs that end with their process, where no other one works. */
const OWN_KINDS = [INGEST_DOCUMENT, INDEX_WORDS, PURGE_DOCUMENT, PURGE_CONTEXT, PURGE_ACCOUNT, PURGE_COMPANY]

/** Finds what crashes have left behind in rows, files, vectors and words. */
export class Sweep {
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #collections: SweepCollections
  readonly #telemetry: Telemetry

  constructor(storage: Storage, fileStore: FileStore, collections: SweepCollections, telemetry: Telemetry) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#collections = collections
    this.#telemetry = telemetry
  }

  /**
   * What must be done before work begins, and is cheap.
   * @param isAlone whether no other process works on this storage: then every lease is a dead one's
   */
  async prepare(isAlone: boolean): Promise<void> {
    await this.#storage.transaction(async ({ jobs, uploads }) => {
      await uploads.removeExpired({ all: isAlone })
      if (isAlone) {
        await jobs.releaseAll(OWN_KINDS)
      }
    })
    await this.#fileStore.removeUnfinished(isAlone ? {} : { olderThanMs: ABANDONED_UPLOAD_MS })
  }

  /** The rest, beside the work. */
  async run(signal: AbortSignal): Promise<SweepCounts> {
    const jobs = await this.#resumeJobs(signal)
    const filesRemoved = await this.#removeFiles(signal)
    const vectors = await this.#collections.vectors(signal)
    const words = await this.#collections.words(signal)
    const counts = {
      ...jobs,
      filesRemoved,
      collectionsDropped: vectors.dropped,
      vectorOrphansRemoved: vectors.orphansRemoved,
      wordCollectionsDropped: words.dropped,
      wordOrphansRemoved: words.orphansRemoved,
    }
    this.#telemetry.record({ name: 'ingestion.swept', level: 'info', fields: { ...counts } })
    return counts
  }

  async #resumeJobs(signal: AbortSignal): Promise<Pick<SweepCounts, 'documentsResumed' | 'purgesResumed'>> {
    const { unfinished, purges } = await this.#storage.read(async ({ documents, contexts }) => {
      const deleted = (await documents.listDeleted()).map(({ id }): NewJob => ({ kind: PURGE_DOCUMENT, subject: id }))
      const deletedContexts = (await contexts.listDeleted()).map((id): NewJob => ({ kind: PURGE_CONTEXT, subject: id }))
      return { unfinished: await documents.listUnfinished(), purges: [...deleted, ...deletedContexts] }
    })
    const companies = new Map<number, number | undefined>()
    for (const contextId of new Set(unfinished.map((document) => document.contextId))) {
      if (signal.aborted) break
      companies.set(contextId, await this.#storage.read((repositories) => companyOfContext(repositories, contextId)))
    }
    let documentsResumed = 0
    for (const part of inParts(unfinished, JOBS_PER_TRANSACTION)) {
      if (signal.aborted) break
      documentsResumed += await this.#resume(part, companies)
    }
    for (const part of inParts(purges, JOBS_PER_TRANSACTION)) {
      if (signal.aborted) break
      await this.#storage.transaction(({ jobs }) => jobs.enqueueAll(part))
    }
    return { documentsResumed, purgesResumed: purges.length }
  }

  /** Has documents processed that are still not done. @returns how many */
  async #resume(
    listed: readonly DocumentRecord[],
    companies: ReadonlyMap<number, number | undefined>,
  ): Promise<number> {
    return await this.#storage.transaction(async ({ documents, jobs }) => {
      const found = await documents.find(listed.map(({ id }) => id))
      const unfinished = found.filter(isUnfinished)
      await jobs.enqueueAll(unfinished.map((document) => ingestionJob(document, companies.get(document.contextId))))
      return unfinished.length
    })
  }

  async #removeFiles(signal: AbortSignal): Promise<number> {
    let removed = 0
    for await (const key of unclaimedFiles(this.#storage, this.#fileStore, signal)) {
      // A file cannot be brought back: what a long list of them was told may be out of date by now.
      if ((await unclaimed(this.#storage, [key])).length === 0) continue
      await this.#fileStore.delete(key)
      removed += 1
    }
    return removed
  }
}

/** There is one of these jobs. */
export const SWEEP_JOB: NewJob = { kind: 'sweep', subject: 1 }
const EVERY_MS = 3_600_000

/** The check that follows a sweep. */
interface CheckAfterSweep {
  run(signal: AbortSignal): Promise<void>
}

/**
 * The sweep, and the look whether all is well, where many processes share a database: one of them does it, and an hour
 * goes by before the next does. At each start of each process everything would be looked at all the time.
 */
export class SweepInTurn implements JobHandler {
  readonly kind: string = SWEEP_JOB.kind
  readonly #storage: Storage
  readonly #sweep: Sweep
  readonly #startCheck: CheckAfterSweep

  constructor(storage: Storage, sweep: Sweep, startCheck: CheckAfterSweep) {
    this.#storage = storage
    this.#sweep = sweep
    this.#startCheck = startCheck
  }

  async run(job: JobRun): Promise<void> {
    await this.#sweep.run(job.signal)
    await enqueueMissingWords(this.#storage, job.signal)
    await this.#startCheck.run(job.signal)
    job.signal.throwIfAborted()
    await job.complete(again)
  }

  /** Whatever it was that failed, an hour later it may not. */
  async fail(repositories: Repositories): Promise<void> {
    await again(repositories)
  }
}

async function again({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(SWEEP_JOB, { delayMs: EVERY_MS })
}

/** What was removed from an index. */
interface SweptCollections {
  readonly dropped: number
  /** Documents that had rows in the index and none in the database. */
  readonly orphansRemoved: number
}

/** Removes from the indexes what belongs to no context and to no document. */
export class SweepCollections {
  readonly #storage: Storage
  readonly #vectors: VectorIndex
  readonly #words: LexicalIndex

  constructor(storage: Storage, vectors: VectorIndex, words: LexicalIndex) {
    this.#storage = storage
    this.#vectors = vectors
    this.#words = words
  }

  async vectors(signal: AbortSignal): Promise<SweptCollections> {
    return await this.#sweep(this.#vectors, signal, async () => false)
  }

  /**
   * Words of an older version of the analyzer go once all documents have those of this one: no search reads them. Those
   * of a newer version may be what a newer engine, on the same database, is making.
   */
  async words(signal: AbortSignal): Promise<SweptCollections> {
    return await this.#sweep(this.#words, signal, async (name, contextId) => {
      if (!isOfOlderAnalyzer(name)) return false
      const page = { after: 0, limit: 1 }
      const without = await this.#storage.read(({ documents }) =>
        documents.listWithoutWords(contextId, ANALYZER_VERSION, page),
      )
      return without.length === 0
    })
  }

  async #sweep(
    index: CollectionIndex,
    signal: AbortSignal,
    isOutdated: (name: string, contextId: number) => Promise<boolean>,
  ): Promise<SweptCollections> {
    let dropped = 0
    let orphansRemoved = 0
    for (const name of await index.listCollections()) {
      if (signal.aborted) break
      const contextId = contextOfCollection(name)
      if (contextId === undefined) continue
      if (!(await this.#hasRow(contextId)) || (await isOutdated(name, contextId))) {
        await index.drop(name)
        dropped += 1
        continue
      }
      const ids = await documentsIn(index, name)
      const existing = await this.#storage.read(({ documents }) => documents.existing(ids))
      for (const id of ids.filter((one) => !existing.has(one))) {
        await index.deleteDocument(name, id, 0)
        orphansRemoved += 1
      }
    }
    return { dropped, orphansRemoved }
  }

  /** What is deleted and has its row still is removed by its purge, which waits for a backup. */
  async #hasRow(contextId: number): Promise<boolean> {
    return await this.#storage.read(
      async ({ contexts }) => (await contexts.get(contextId)) !== undefined || (await contexts.isDeleted(contextId)),
    )
  }
}

/** A collection that is damaged is for the doctor; the others are swept. */
async function documentsIn(index: CollectionIndex, name: string): Promise<readonly number[]> {
  try {
    return [...(await index.countByDocument(name)).keys()]
  } catch (error) {
    if (error instanceof VectorsDamagedError) return []
    throw error
  }
}

const FILES_PER_LOOK = 500

/**
 * Keys in the file store that belong to no document and no upload, as it was when a part of the list was looked at.
 * Ends where the signal is aborted.
 */
export async function* unclaimedFiles(
  storage: Storage,
  fileStore: FileStore,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let keys: string[] = []
  for await (const key of fileStore.list()) {
    if (signal.aborted) return
    if (keys.push(key) < FILES_PER_LOOK) continue
    yield* await unclaimed(storage, keys)
    keys = []
  }
  yield* await unclaimed(storage, keys)
}

/** Those of the keys that belong to no document and no upload now. */
export async function unclaimed(storage: Storage, keys: readonly string[]): Promise<string[]> {
  const claimed = await storage.read(({ uploads }) => uploads.claimed(keys))
  return keys.filter((key) => !claimed.has(key))
}
