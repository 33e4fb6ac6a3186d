import { enqueueReindex, PURGE_ACCOUNT, PURGE_CONTEXT, REINDEX_CONTEXT } from '../contexts/index.js'
import {
  companyOfContext,
  enqueueMissingWords,
  INDEX_NAME,
  INDEX_WORDS,
  INGEST_DOCUMENT,
  ingestionJob,
  isUnfinished,
  MEND_WORDS,
  PURGE_DOCUMENT,
} from '../documents/index.js'
import type { JobHandler, JobRun } from '../jobs/index.js'
import { inBatches } from '../kernel/batches.js'
import type { DocumentRecord, FileStore, NewJob, Repositories, Storage, Telemetry } from '../ports/index.js'
import { PURGE_COMPANY } from '../tenancy/index.js'
import type { SweepCollections } from './sweep-collections.js'
import { listUnclaimedFiles, unclaimedOf } from './unclaimed-files.js'

/** The numbers of items that a sweep removed or resumed. */
interface SweepCounts {
  /** Documents that were not finished: each of them has a job now. */
  readonly documentsResumed: number
  /** Deleted documents and contexts that were not purged: each of them has a job now. */
  readonly purgesResumed: number
  readonly filesRemoved: number
  /** Collections of vectors without a context. */
  readonly collectionsDropped: number
  /** Documents that have vectors but no row. */
  readonly vectorOrphansRemoved: number
  /** Collections of words without a context, or of an older version of the analyzer that no search reads now. */
  readonly wordCollectionsDropped: number
  /** Documents that have words but no row. */
  readonly wordOrphansRemoved: number
}

/**
 * An upload of another process without a write for this time was interrupted when that process stopped. A live upload
 * aborts if no bytes arrive for `UPLOAD_TTL_MS`, which is minutes. But a file store that writes in large parts may need
 * hours for one of them, if the bytes arrive slowly.
 */
const ABANDONED_UPLOAD_MS = 24 * 60 * 60_000
/** Few: other writers at the start wait for one such transaction, not for all. */
const JOBS_PER_TRANSACTION = 200

/** Kinds of jobs whose leases a process that is alone releases at its start. */
const OWN_KINDS = [
  INGEST_DOCUMENT,
  INDEX_NAME,
  INDEX_WORDS,
  MEND_WORDS,
  REINDEX_CONTEXT,
  PURGE_DOCUMENT,
  PURGE_CONTEXT,
  PURGE_ACCOUNT,
  PURGE_COMPANY,
]

/** Finds and removes what crashes left behind in rows, files, vectors and words. */
export class Sweep {
  constructor(
    private readonly storage: Storage,
    private readonly fileStore: FileStore,
    private readonly collections: SweepCollections,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * The cheap part, which must be finished before the work starts.
   * @param isAlone true if no other process works on this storage: then every lease belongs to a stopped process
   */
  async prepare(isAlone: boolean): Promise<void> {
    await this.storage.transaction(async ({ jobs, uploads }) => {
      await uploads.removeExpired({ all: isAlone })
      if (isAlone) await jobs.releaseAll(OWN_KINDS)
    })
    await this.fileStore.removeUnfinished(isAlone ? {} : { olderThanMs: ABANDONED_UPLOAD_MS })
  }

  /** The rest, while the workers work. */
  async run(signal: AbortSignal): Promise<SweepCounts> {
    const resumed = await this.#resumeJobs(signal)
    const filesRemoved = await this.#removeFiles(signal)
    const vectors = await this.collections.sweepVectors(signal)
    const words = await this.collections.sweepWords(signal)
    const counts = {
      ...resumed,
      filesRemoved,
      collectionsDropped: vectors.dropped,
      vectorOrphansRemoved: vectors.orphansRemoved,
      wordCollectionsDropped: words.dropped,
      wordOrphansRemoved: words.orphansRemoved,
    }
    this.telemetry.record({ name: 'ingestion.swept', level: 'info', fields: { ...counts } })
    return counts
  }

  async #resumeJobs(signal: AbortSignal): Promise<Pick<SweepCounts, 'documentsResumed' | 'purgesResumed'>> {
    const { unfinished, purges } = await this.storage.read(async ({ documents, contexts }) => {
      // Versions of another generation have no job of their own: the re-index of their context removes them.
      const deletedDocuments = (await documents.listDeleted())
        .filter(({ generation }) => generation === null)
        .map(({ id }): NewJob => ({ kind: PURGE_DOCUMENT, subject: id }))
      const deletedContexts = (await contexts.listDeleted()).map((id): NewJob => ({ kind: PURGE_CONTEXT, subject: id }))
      return { unfinished: await documents.listUnfinished(), purges: [...deletedDocuments, ...deletedContexts] }
    })
    const companies = new Map<number, number | undefined>()
    for (const contextId of new Set(unfinished.map((document) => document.contextId))) {
      if (signal.aborted) break
      companies.set(contextId, await this.storage.read((repositories) => companyOfContext(repositories, contextId)))
    }
    await this.#resumeReindexes(signal)
    let documentsResumed = 0
    for (const part of inBatches(unfinished, JOBS_PER_TRANSACTION)) {
      if (signal.aborted) break
      documentsResumed += await this.#resume(part, companies)
    }
    let purgesResumed = 0
    for (const part of inBatches(purges, JOBS_PER_TRANSACTION)) {
      if (signal.aborted) break
      purgesResumed += await this.#resumePurges(part)
    }
    return { documentsResumed, purgesResumed }
  }

  /** Enqueues the purges that are still not finished: the workers purge meanwhile. @returns their number */
  async #resumePurges(listed: readonly NewJob[]): Promise<number> {
    return await this.storage.transaction(async ({ contexts, documents, jobs }) => {
      const deletedContexts = new Set(await contexts.listDeleted())
      const ids = listed.filter(({ kind }) => kind === PURGE_DOCUMENT).map(({ subject }) => subject)
      const deletedDocuments = await documents.existing(ids)
      const unfinished = listed.filter(({ kind, subject }) =>
        (kind === PURGE_CONTEXT ? deletedContexts : deletedDocuments).has(subject),
      )
      await jobs.enqueueAll(unfinished)
      return unfinished.length
    })
  }

  /** Re-indexes that were cancelled or are finished may have left versions. */
  async #resumeReindexes(signal: AbortSignal): Promise<void> {
    const contextIds = await this.storage.read(({ shadows }) => shadows.listContexts())
    for (const part of inBatches(contextIds, JOBS_PER_TRANSACTION)) {
      if (signal.aborted) return
      await this.storage.transaction(async (repositories) => {
        for (const contextId of part) {
          await enqueueReindex(repositories, contextId, { companyId: await companyOfContext(repositories, contextId) })
        }
      })
    }
  }

  /** Enqueues the documents that are still not finished. @returns their number */
  async #resume(
    listed: readonly DocumentRecord[],
    companies: ReadonlyMap<number, number | undefined>,
  ): Promise<number> {
    return await this.storage.transaction(async ({ documents, jobs }) => {
      const found = await documents.find(listed.map(({ id }) => id))
      const unfinished = found.filter(isUnfinished)
      await jobs.enqueueAll(unfinished.map((document) => ingestionJob(document, companies.get(document.contextId))))
      return unfinished.length
    })
  }

  async #removeFiles(signal: AbortSignal): Promise<number> {
    let removed = 0
    for await (const key of listUnclaimedFiles(this.storage, this.fileStore, signal)) {
      // A deleted file is lost, and the list may be out of date by now: a document may own the file.
      if ((await unclaimedOf(this.storage, [key])).length === 0) continue
      await this.fileStore.delete(key)
      removed += 1
    }
    return removed
  }
}

/** Only one such job exists. */
export const SWEEP_JOB: NewJob = { kind: 'sweep', subject: 1, traceparent: null }
const INTERVAL_MS = 3_600_000

/** The check that follows a sweep. */
interface CheckAfterSweep {
  run(signal: AbortSignal): Promise<void>
}

/**
 * The sweep, and the check after it, for processes that share a database: one of them runs both, once an hour. If each
 * process ran them at its start, everything would be checked all the time.
 */
export class SweepInTurn implements JobHandler {
  readonly kind: string = SWEEP_JOB.kind

  constructor(
    private readonly storage: Storage,
    private readonly sweep: Sweep,
    private readonly startCheck: CheckAfterSweep,
  ) {}

  async run(job: JobRun): Promise<void> {
    await this.sweep.run(job.signal)
    await enqueueMissingWords(this.storage, job.signal)
    await this.startCheck.run(job.signal)
    job.signal.throwIfAborted()
    await job.complete(enqueueNextSweep)
  }

  /** The failure may be transient: the next sweep comes as usual. */
  async fail(repositories: Repositories): Promise<void> {
    await enqueueNextSweep(repositories)
  }
}

async function enqueueNextSweep({ jobs }: Repositories): Promise<void> {
  await jobs.enqueue(SWEEP_JOB, { delayMs: INTERVAL_MS })
}
