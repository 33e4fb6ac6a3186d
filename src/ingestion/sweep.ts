import { PURGE_ACCOUNT, PURGE_CONTEXT } from '../context/index.js'
import {
  type DocumentRecord,
  type FileStore,
  type NewJob,
  type Storage,
  type Telemetry,
  type VectorIndex,
  VectorsDamagedError,
} from '../ports/index.js'
import { PURGE_COMPANY } from '../tenancy-authorization/index.js'
import { isUnfinished } from './document.js'
import { companyOfContext, ingestionJob } from './enqueue-ingestion.js'
import { inParts } from './in-parts.js'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from './job-kinds.js'
import { unclaimed, unclaimedFiles } from './unclaimed-files.js'
import { contextOfCollection } from './vector-collection.js'

/** What a sweep found and removed, or put back to work. */
export interface SweepCounts {
  /** Documents that were not done: each of them has a job now. */
  readonly documentsResumed: number
  /** Deleted documents and contexts that were not cleared away, likewise. */
  readonly purgesResumed: number
  readonly filesRemoved: number
  readonly collectionsDropped: number
  /** Documents that have vectors but no row. */
  readonly vectorOrphansRemoved: number
}

/**
 * An upload in another process to which nothing was written for so long has ended with that process. One that is
 * alive gives up when nothing comes for `UPLOAD_TTL_MS`, which is minutes; a file store that writes in large parts
 * may write one of them in hours, where the bytes trickle in.
 */
const ABANDONED_UPLOAD_MS = 24 * 60 * 60_000
/** Whoever writes something at the start waits for one such transaction, not for all. */
const JOBS_PER_TRANSACTION = 200

/** Finds what crashes have left behind in rows, files and vectors. */
export class Sweep {
  readonly #storage: Storage
  readonly #fileStore: FileStore
  readonly #index: VectorIndex
  readonly #telemetry: Telemetry

  constructor(storage: Storage, fileStore: FileStore, index: VectorIndex, telemetry: Telemetry) {
    this.#storage = storage
    this.#fileStore = fileStore
    this.#index = index
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
        await jobs.releaseAll([INGEST_DOCUMENT, PURGE_DOCUMENT, PURGE_CONTEXT, PURGE_ACCOUNT, PURGE_COMPANY])
      }
    })
    await this.#fileStore.removeUnfinished(isAlone ? {} : { olderThanMs: ABANDONED_UPLOAD_MS })
  }

  /** The rest, beside the work. */
  async run(signal: AbortSignal): Promise<SweepCounts> {
    const jobs = await this.#resumeJobs(signal)
    const filesRemoved = await this.#removeFiles(signal)
    const vectors = await this.#removeVectors(signal)
    const counts = { ...jobs, filesRemoved, ...vectors }
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

  async #removeVectors(signal: AbortSignal): Promise<Pick<SweepCounts, 'collectionsDropped' | 'vectorOrphansRemoved'>> {
    let collectionsDropped = 0
    let vectorOrphansRemoved = 0
    for (const name of await this.#index.listCollections()) {
      if (signal.aborted) break
      const contextId = contextOfCollection(name)
      if (contextId === undefined) continue
      if (!(await this.#hasRow(contextId))) {
        await this.#index.drop(name)
        collectionsDropped += 1
        continue
      }
      const ids = await this.#documentsIn(name)
      const existing = await this.#storage.read(({ documents }) => documents.existing(ids))
      for (const id of ids.filter((one) => !existing.has(one))) {
        await this.#index.deleteDocument(name, id, 0)
        vectorOrphansRemoved += 1
      }
    }
    return { collectionsDropped, vectorOrphansRemoved }
  }

  /** A collection that is damaged is for the doctor; the others are swept. */
  async #documentsIn(name: string): Promise<readonly number[]> {
    try {
      return [...(await this.#index.countByDocument(name)).keys()]
    } catch (error) {
      if (error instanceof VectorsDamagedError) return []
      throw error
    }
  }

  /** What is deleted and has its row still is removed by its purge, which waits for a backup. */
  async #hasRow(contextId: number): Promise<boolean> {
    return await this.#storage.read(
      async ({ contexts }) => (await contexts.get(contextId)) !== undefined || (await contexts.isDeleted(contextId)),
    )
  }
}
