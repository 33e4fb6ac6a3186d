import { PURGE_ACCOUNT, PURGE_CONTEXT } from '../context/index.js'
import type { DocumentRecord, FileStore, NewJob, Storage, Telemetry } from '../ports/index.js'
import { inParts } from '../shared/in-parts.js'
import { PURGE_COMPANY } from '../tenancy-authorization/index.js'
import { isUnfinished } from './document.js'
import { companyOfContext, ingestionJob } from './enqueue-ingestion.js'
import { INDEX_WORDS, INGEST_DOCUMENT, PURGE_DOCUMENT } from './job-kinds.js'
import type { SweepCollections } from './sweep-collections.js'
import { unclaimed, unclaimedFiles } from './unclaimed-files.js'

/** What a sweep found and removed, or put back to work. */
export interface SweepCounts {
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
