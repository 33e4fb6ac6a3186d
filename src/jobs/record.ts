import { Together } from '../kernel/batcher.js'
import { LeaseLostError } from '../kernel/errors.js'
import type { ClaimedJob, Repositories, Storage, TransactionOptions } from '../ports/index.js'

/** Whoever records something of a job holds its row: nobody else can take it, or cancel it, before that is committed. */
export const WITH_JOB_HELD: TransactionOptions = { isolation: 'read committed', isWriteFirst: true }

/** What becomes of a job in the transaction that records something of it. */
export type Hold =
  | { readonly as: 'extended'; readonly isProgress: boolean }
  | { readonly as: 'completed' }
  | { readonly as: 'released'; readonly delayMs: number }

/** What is written of a job: by itself, or at one go with the same work of other jobs. */
export type Work<Result> = ((repositories: Repositories) => Promise<Result>) | WorkTogether<Result>

interface WorkTogether<Result> {
  readonly together: (repositories: Repositories, items: readonly unknown[]) => Promise<readonly Result[]>
  readonly item: unknown
}

/**
 * Work that is written together with that of other jobs, where their worker records in groups.
 * @param work gives a result for each item, in their order
 */
export function together<Item, Result>(
  work: (repositories: Repositories, items: readonly Item[]) => Promise<readonly Result[]>,
  item: Item,
): Work<Result> {
  return { together: work as WorkTogether<Result>['together'], item }
}

/** Something to be recorded of a job that this worker holds. */
interface JobRecord {
  /** The job as the worker holds it when it is written: it may be claimed anew before. */
  readonly held: { readonly job: ClaimedJob }
  readonly hold: Hold
  readonly work: Work<unknown>
}

/** Records something of a job in a transaction. @throws LeaseLostError; nothing is changed then */
export type RecordOfJob = (record: JobRecord) => Promise<unknown>

/**
 * Records in transactions: one for each, or in groups. Making a commit durable costs more than the work of most of
 * them, and so does a statement of its own for each.
 */
export function recorder(
  storage: Storage,
  { isGrouped, leaseMs }: { readonly isGrouped: boolean; readonly leaseMs: number },
): RecordOfJob {
  const write = async (records: readonly JobRecord[]): Promise<readonly unknown[]> =>
    await storage.transaction(async (repositories) => {
      // Jobs first, then what they are about: two transactions that lock in different orders would wait for each other.
      await holdAll(repositories, records, leaseMs)
      return await writeAll(repositories, records)
    }, WITH_JOB_HELD)
  if (!isGrouped) return async (record) => (await write([record]))[0]
  const group = new Together(write)
  return async (record) => await group.do(record)
}

async function writeAll(repositories: Repositories, records: readonly JobRecord[]): Promise<readonly unknown[]> {
  const results = new Map<JobRecord, unknown>()
  for (const record of records) {
    if (typeof record.work === 'function') results.set(record, await record.work(repositories))
    else if (!results.has(record)) await writeTogether(repositories, record.work, records, results)
  }
  return records.map((record) => results.get(record))
}

/** Does the work of all records that have the same. */
async function writeTogether(
  repositories: Repositories,
  { together: work }: WorkTogether<unknown>,
  records: readonly JobRecord[],
  results: Map<JobRecord, unknown>,
): Promise<void> {
  const items = new Map<JobRecord, unknown>()
  for (const record of records) {
    if (typeof record.work !== 'function' && record.work.together === work) items.set(record, record.work.item)
  }
  const given = await work(repositories, [...items.values()])
  for (const [index, record] of [...items.keys()].entries()) results.set(record, given[index])
}

async function holdAll({ jobs }: Repositories, records: readonly JobRecord[], leaseMs: number): Promise<void> {
  const jobsOf = (isMeant: (hold: Hold) => boolean): readonly ClaimedJob[] =>
    records.filter(({ hold }) => isMeant(hold)).map(({ held }) => held.job)
  const completed = jobsOf(({ as }) => as === 'completed')
  if (completed.length > 0) assertHeld(completed, await jobs.completeAll(completed))
  for (const { hold, held } of records) {
    if (hold.as !== 'released') continue
    assertHeld([held.job], await jobs.release(held.job, { delayMs: hold.delayMs, failed: true }))
  }
  for (const isProgress of [false, true]) {
    const extended = jobsOf((hold) => hold.as === 'extended' && hold.isProgress === isProgress)
    if (extended.length > 0) assertHeld(extended, await jobs.extendAll(extended, leaseMs, { isProgress }))
  }
}

/** Several of which one is lost are tried again, each alone: then it is known which. */
function assertHeld(jobs: readonly ClaimedJob[], isHeld: boolean): void {
  if (!isHeld) throw leaseLost(...jobs)
}

export function leaseLost(...jobs: readonly ClaimedJob[]): LeaseLostError {
  return new LeaseLostError(`the job ${jobs.map(({ id }) => id).join()} is no longer held by this worker`)
}
