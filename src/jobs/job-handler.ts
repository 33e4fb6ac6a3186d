import { Batcher } from '../kernel/batches.js'
import { LeaseLostError } from '../kernel/errors.js'
import { pause } from '../kernel/scheduling/abort.js'
import {
  BACKUP_JOB,
  type ClaimedJob,
  type Repositories,
  type Span,
  type SpanName,
  type Storage,
  type TransactionOptions,
} from '../ports/index.js'

/** Runs the jobs of one kind. */
export interface JobHandler {
  readonly kind: string
  /** The span of a run. Default: `alcove.job`. */
  readonly spanName?: SpanName
  /**
   * Runs a job, and removes it by {@link JobRun.complete} in the transaction that records its outcome. After an error,
   * the job becomes due again later, unless the error is permanent or the job has failed too often.
   *
   * @param span the span of this run
   */
  run(run: JobRun, span: Span): Promise<void>
  /** Records the final failure of a job. This runs in the transaction that removes the job. */
  fail(repositories: Repositories, subject: number, error: unknown): Promise<void>
  /**
   * Records that a job waits, because what it needs is away. This runs in the transaction that releases the job, which
   * counts no failure.
   */
  postponed?(repositories: Repositories, subject: number, error: unknown): Promise<void>
  /** Called after {@link fail} is committed. */
  failed?(subject: number, error: unknown): void
}

/** A job while this worker holds it. */
export interface JobRun {
  readonly subject: number
  /** Aborted when the worker stops, or the lease is lost. */
  readonly signal: AbortSignal
  /** True where an earlier run may have crashed the process: the handler should record progress soon. */
  readonly isRepeated: boolean
  /**
   * Runs a transaction. It is refused if another worker holds the job by then. With `isProgress`, the next run
   * continues from here, and the engine does not treat the job as one that crashes every process.
   * @throws LeaseLostError; then nothing is changed
   */
  transaction<T>(work: Work<T>, options?: { readonly isProgress?: boolean }): Promise<T>
  /** As {@link transaction}. Also removes the job. */
  complete<T>(work: Work<T>): Promise<T>
  /**
   * As {@link transaction}. Also releases the job, which becomes due again after `delayMs`.
   * @param options.isFailure true to count a failure of the job, so that failures of the engine become final sooner.
   *   False: the work is progress. Default: true
   */
  postpone<T>(work: Work<T>, delayMs: number, options?: { readonly isFailure?: boolean }): Promise<T>
}

/**
 * For transactions that record work of a job. They lock the job's row until the commit, so that nobody else can claim
 * or cancel the job before that.
 */
export const WITH_JOB_HELD: TransactionOptions = { isolation: 'read committed', isWriteFirst: true }

/** The change of a job in the transaction that records its work. */
export type LeaseChange =
  | { readonly as: 'extended'; readonly isProgress: boolean }
  | { readonly as: 'completed' }
  | { readonly as: 'released'; readonly delayMs: number; readonly isFailure: boolean }

/** The writes of a job: a function of its own, or an item of a batch with the same writes of other jobs. */
export type Work<Result> = ((repositories: Repositories) => Promise<Result>) | BatchedWork<Result>

interface BatchedWork<Result> {
  readonly writeBatch: (repositories: Repositories, items: readonly unknown[]) => Promise<readonly Result[]>
  readonly item: unknown
}

/**
 * Makes work that is written in one batch with the same work of other jobs, where the worker has `isBatched`.
 * @param writeBatch returns one result for each item, in their order
 */
export function batched<Item, Result>(
  writeBatch: (repositories: Repositories, items: readonly Item[]) => Promise<readonly Result[]>,
  item: Item,
): Work<Result> {
  return { writeBatch: writeBatch as BatchedWork<Result>['writeBatch'], item }
}

/** The work of a job that this worker holds, to be recorded. */
interface JobRecord {
  /** Its `job` is read when the record is written: the worker may have claimed the job once more by then. */
  readonly held: { readonly job: ClaimedJob }
  readonly leaseChange: LeaseChange
  readonly work: Work<unknown>
}

/** Records the work of a job in a transaction. @throws LeaseLostError; then nothing is changed */
export type RecordOfJob = (record: JobRecord) => Promise<unknown>

/**
 * Creates the function that records the work of jobs: in a transaction for each record, or in batches. A durable commit
 * costs more than the work of most records, and so does a separate statement for each.
 */
export function createJobRecorder(
  storage: Storage,
  { isBatched, leaseMs }: { readonly isBatched: boolean; readonly leaseMs: number },
): RecordOfJob {
  const write = async (records: readonly JobRecord[]): Promise<readonly unknown[]> =>
    await storage.transaction(async (repositories) => {
      // Lock the jobs first, then the rows of their subjects. With different orders, two transactions could deadlock.
      await changeLeases(repositories, records, leaseMs)
      return await writeAll(repositories, records)
    }, WITH_JOB_HELD)
  if (!isBatched) return async (record) => (await write([record]))[0]
  const batcher = new Batcher(write)
  return async (record) => await batcher.run(record)
}

async function writeAll(repositories: Repositories, records: readonly JobRecord[]): Promise<readonly unknown[]> {
  const results = new Map<JobRecord, unknown>()
  for (const record of records) {
    if (typeof record.work === 'function') results.set(record, await record.work(repositories))
    else if (!results.has(record)) await writeBatched(repositories, record.work, records, results)
  }
  return records.map((record) => results.get(record))
}

/** Writes all records with the same `writeBatch` in one call. */
async function writeBatched(
  repositories: Repositories,
  { writeBatch }: BatchedWork<unknown>,
  records: readonly JobRecord[],
  results: Map<JobRecord, unknown>,
): Promise<void> {
  const items = new Map<JobRecord, unknown>()
  for (const record of records) {
    if (typeof record.work !== 'function' && record.work.writeBatch === writeBatch) items.set(record, record.work.item)
  }
  const batchResults = await writeBatch(repositories, [...items.values()])
  for (const [index, record] of [...items.keys()].entries()) results.set(record, batchResults[index])
}

async function changeLeases({ jobs }: Repositories, records: readonly JobRecord[], leaseMs: number): Promise<void> {
  const jobsWith = (matches: (change: LeaseChange) => boolean): readonly ClaimedJob[] =>
    records.filter(({ leaseChange }) => matches(leaseChange)).map(({ held }) => held.job)
  const completed = jobsWith(({ as }) => as === 'completed')
  if (completed.length > 0) requireHeld(completed, await jobs.completeAll(completed))
  for (const { leaseChange, held } of records) {
    if (leaseChange.as !== 'released') continue
    const { delayMs, isFailure } = leaseChange
    // Progress sets the count of claims back, as a failure does.
    if (!isFailure) requireHeld([held.job], await jobs.extend(held.job, leaseMs, { isProgress: true }))
    requireHeld([held.job], await jobs.release(held.job, { delayMs, failed: isFailure }))
  }
  for (const isProgress of [false, true]) {
    const extended = jobsWith((change) => change.as === 'extended' && change.isProgress === isProgress)
    if (extended.length > 0) requireHeld(extended, await jobs.extendAll(extended, leaseMs, { isProgress }))
  }
}

/** A batch with a lost job fails as a whole. Its records are then retried one by one, which shows the lost one. */
function requireHeld(jobs: readonly ClaimedJob[], isHeld: boolean): void {
  if (!isHeld) throw leaseLost(...jobs)
}

export function leaseLost(...jobs: readonly ClaimedJob[]): LeaseLostError {
  return new LeaseLostError(`the job ${jobs.map(({ id }) => id).join()} is no longer held by this worker`)
}

/** A small batch, so that other users of the database do not wait long. */
const ROWS_PER_BATCH = 200
const PAUSE_MS = 50

/**
 * Removes rows in small transactions with pauses, until no row is left.
 * @param remove removes at most `limit` rows, and returns the number of removed rows
 */
export async function removeInBatches(
  job: JobRun,
  remove: (repositories: Repositories, limit: number) => Promise<number>,
): Promise<void> {
  const removeBatch = (repositories: Repositories): Promise<number> => remove(repositories, ROWS_PER_BATCH)
  while ((await job.transaction(removeBatch, { isProgress: true })) > 0) await pause(PAUSE_MS)
}

const POLL_MS = 500

/**
 * Waits until no backup is in progress. A backup also copies files, vectors and words that are deleted after its start,
 * so these must stay until it finishes. It leaves out data that was deleted before, so a backup that starts after this
 * wait does no harm.
 *
 * @param read reads the jobs, in a job's own transactions or in those of a storage
 * @throws the signal's reason
 */
export async function untilNoBackup(read: Storage['read'], signal: AbortSignal): Promise<void> {
  await whenNoBackup({ transaction: read, signal }, async () => undefined)
}

/** As {@link untilNoBackup}. Also runs work in the transaction that finds no backup. @returns its result */
export async function whenNoBackup<T>(
  run: { readonly transaction: Storage['read']; readonly signal: AbortSignal },
  work: (repositories: Repositories) => Promise<T>,
): Promise<T> {
  for (;;) {
    const outcome = await run.transaction(async (repositories) => {
      return (await repositories.jobs.isHeld(BACKUP_JOB)) ? undefined : { result: await work(repositories) }
    })
    if (outcome !== undefined) return outcome.result
    await pause(POLL_MS, run.signal)
  }
}
