import type { ClaimedJob, Repositories, Storage, TransactionOptions } from '../ports/index.js'
import { LeaseLostError } from '../shared/errors.js'
import { Together } from '../shared/together.js'

/** Whoever records something of a job holds its row: nobody else can take it, or cancel it, before that is committed. */
export const WITH_JOB_HELD: TransactionOptions = { isolation: 'read committed', isWriteFirst: true }

/** What becomes of a job in the transaction that records something of it. */
export type Hold =
  | { readonly as: 'extended'; readonly leaseMs: number; readonly isProgress: boolean }
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
export function recorder(storage: Storage, options: { readonly isGrouped: boolean }): RecordOfJob {
  const write = async (records: readonly JobRecord[]): Promise<readonly unknown[]> =>
    await storage.transaction((repositories) => writeAll(repositories, records), WITH_JOB_HELD)
  if (!options.isGrouped) return async (record) => (await write([record]))[0]
  const group = new Together(write)
  return async (record) => await group.do(record)
}

/** Jobs first, then what they are about: two transactions that lock in different orders would wait for each other. */
async function writeAll(repositories: Repositories, records: readonly JobRecord[]): Promise<readonly unknown[]> {
  await holdAll(repositories, records)
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

async function holdAll({ jobs }: Repositories, records: readonly JobRecord[]): Promise<void> {
  const completed = records.filter(({ hold }) => hold.as === 'completed').map(({ held }) => held.job)
  if (completed.length > 0) assertHeld(completed, await jobs.completeAll(completed))
  const extended = new Map<string, JobRecord[]>()
  for (const record of records) {
    const { hold } = record
    const { job } = record.held
    if (hold.as === 'released') assertHeld([job], await jobs.release(job, { delayMs: hold.delayMs, failed: true }))
    if (hold.as !== 'extended') continue
    const same = `${hold.leaseMs} ${hold.isProgress}`
    extended.set(same, [...(extended.get(same) ?? []), record])
  }
  for (const same of extended.values()) {
    const hold = same[0]?.hold
    const extending = same.map(({ held }) => held.job)
    if (hold?.as === 'extended') assertHeld(extending, await jobs.extendAll(extending, hold.leaseMs, hold))
  }
}

/** Several of which one is lost are tried again, each alone: then it is known which. */
function assertHeld(jobs: readonly ClaimedJob[], isHeld: boolean): void {
  if (!isHeld) throw new LeaseLostError(`the job ${jobs.map(({ id }) => id).join()} is no longer held by this worker`)
}
