import type { Knex } from 'knex'
import {
  type ClaimedJob,
  CRASHING_CLAIMS,
  type EnqueueOptions,
  type JobRepository,
  type JobStates,
  type LaneShare,
  MAX_COUNTED_JOBS,
  type NewJob,
  type Page,
  type QueueState,
  type WaitingLane,
} from '../../../src/ports/index.js'
import { number, type Row, text, textOrNull } from '../tables.js'
import { inParts, KnexRepository, type Session } from './knex-repository.js'

export class KnexJobRepository extends KnexRepository implements JobRepository {
  constructor(session: Session) {
    super(session, 'jobs')
  }

  async enqueue(job: NewJob, options: EnqueueOptions = {}): Promise<void> {
    await this.enqueueAll([job], options)
  }

  async enqueueAll(jobs: readonly NewJob[], options: EnqueueOptions = {}): Promise<void> {
    for (const alike of groupAlike(jobs)) {
      for (const part of inParts(alike)) await this.#enqueue(part, options)
    }
    if ((options.delayMs ?? 0) === 0) for (const { kind } of jobs) this.session.enqueuedKinds.add(kind)
  }

  /** Numbers are written into the statement: hundreds of bindings cost more than the rows themselves. */
  async #enqueue(jobs: readonly NewJob[], { delayMs = 0, isLocked = false }: EnqueueOptions): Promise<void> {
    const [{ kind, traceparent = null } = { kind: '' }] = jobs
    const rows = jobs.map(
      ({ subject, lane = 0, companyId = 0 }) => `(${[subject, lane, companyId].map(literal).join()})`,
    )
    await this.session.knex.raw(
      `insert into ?? (kind, traceparent, subject, lane, company_id, due_ms, lease_expires_ms, fencing_token, failures, claims,
        wait_ms)
       select ?, ?, column1, column2, column3, ${this.#now} + ?, 0, 0, 0, 0, ? from (values ${rows.join()}) as job
       where true on conflict (kind, subject) do ${isLocked ? 'update set kind = excluded.kind' : 'nothing'}`,
      [this.session.name('jobs'), kind, traceparent, Math.round(delayMs), Math.round(delayMs)],
    )
  }

  async subjects(kind: string, { after, limit }: Page): Promise<readonly number[]> {
    const rows = await this.rows
      .where('kind', kind)
      .where('subject', '>', after)
      .orderBy('subject')
      .limit(limit)
      .select('subject')
    return rows.map((row) => number(row, 'subject'))
  }

  async waiting(kinds: readonly string[]): Promise<readonly WaitingLane[]> {
    const lanes: WaitingLane[] = []
    for (const kind of kinds) lanes.push(...(await this.#listWaiting(kind)))
    return lanes
      .sort((one, other) => one.dueInMs - other.dueInMs)
      .map(({ dueInMs, ...lane }) => ({ ...lane, dueInMs: Math.max(0, dueInMs) }))
  }

  /**
   * Steps from lane to lane in the index, so a long queue costs no more than a short one. Overdue jobs have negative
   * times.
   */
  async #listWaiting(kind: string): Promise<WaitingLane[]> {
    const jobs = this.session.name('jobs')
    const minLane = `select min(lane) from ?? where kind = ?`
    const firstJob = (column: string) =>
      `(select ${column} from ?? where kind = ? and lane = lanes.lane order by due_ms limit 1)`
    const rows = await this.session.knex
      .withRecursive(
        'lanes',
        ['lane'],
        this.session.knex.raw(
          `${minLane} union all select (${minLane} and lane > lanes.lane) from lanes where lane is not null`,
          [jobs, kind, jobs, kind],
        ),
      )
      .from('lanes')
      .whereNotNull('lane')
      .select(
        'lane',
        // On PostgreSQL the clock differs from row to row. A subquery reads it once.
        this.session.knex.raw(`${firstJob('due_ms')} - (select ${this.#now}) as wait_ms`, [jobs, kind]),
        this.session.knex.raw(`${firstJob('company_id')} as company_id`, [jobs, kind]),
      )
    return (rows as Row[]).map((row) => {
      const [lane, companyId] = [number(row, 'lane'), number(row, 'company_id')]
      return { lane, companyId, dueInMs: number(row, 'wait_ms') }
    })
  }

  async measure(kinds: readonly string[]): Promise<readonly QueueState[]> {
    const states: QueueState[] = []
    for (const kind of kinds) {
      // Both values are in the index, so that no row of the table is read.
      const [counts]: readonly Row[] = await this.rawRows(
        `select count(*) as jobs, sum(case when due_ms <= (select ${this.#now}) then 1 else 0 end) as due
         from (select due_ms from ?? where kind = ? limit ${literal(MAX_COUNTED_JOBS)}) as counted`,
        [this.session.name('jobs'), kind],
      )
      const jobs = counts === undefined ? 0 : number(counts, 'jobs')
      const lanes = jobs === 0 ? [] : await this.#listWaiting(kind)
      const oldestMs = lanes.reduce((ms, { dueInMs }) => Math.max(ms, -dueInMs), 0)
      states.push({ kind, jobs, due: counts === undefined ? 0 : number(counts, 'due'), oldestMs })
    }
    return states
  }

  async countStates(kinds: readonly string[]): Promise<readonly JobStates[]> {
    const states: JobStates[] = []
    for (const kind of kinds) {
      const [row]: readonly Row[] = await this.rawRows(
        `select count(*) as jobs,
         coalesce(sum(case when lease_expires_ms > now_ms then 1 else 0 end), 0) as running,
         coalesce(sum(case when lease_expires_ms <= now_ms and due_ms > now_ms then 1 else 0 end), 0) as delayed,
         coalesce(sum(case when failures > 0 then 1 else 0 end), 0) as retrying,
         coalesce(sum(case when claims >= ${literal(CRASHING_CLAIMS)} then 1 else 0 end), 0) as crashing
         from (select due_ms, lease_expires_ms, failures, claims, (select ${this.#now}) as now_ms
           from ?? where kind = ? limit ${literal(MAX_COUNTED_JOBS)}) as counted`,
        [this.session.name('jobs'), kind],
      )
      const count = (column: string): number => (row === undefined ? 0 : number(row, column))
      const [running, delayed] = [count('running'), count('delayed')]
      const waiting = count('jobs') - running - delayed
      states.push({ kind, waiting, running, delayed, retrying: count('retrying'), crashing: count('crashing') })
    }
    return states
  }

  async claim(options: {
    readonly kinds: readonly string[]
    readonly leaseMs: number
    readonly lanes?: readonly LaneShare[]
  }): Promise<readonly ClaimedJob[]> {
    const { kinds, leaseMs, lanes } = options
    if (kinds.length === 0 || lanes?.length === 0) return []
    const due = (lanes ?? [undefined]).map((share) => this.#due(kinds, share))
    // "materialized": the jobs are selected once, before the update. A join could select again, and claim too many.
    // `due_ms` moves behind the lease, for queries that read only that column.
    const claimed = await this.rawRows(
      `with due as materialized (${due.map(({ sql }) => `select id from (${sql}) as due`).join(' union all ')})
       update ?? set due_ms = ${this.#now} + ?, lease_expires_ms = ${this.#now} + ?, wait_ms = ?,
       fencing_token = fencing_token + 1, claims = claims + 1
       where id in (select id from due) and ${this.#isDue}
       returning id, kind, subject, lane, company_id, fencing_token, failures, claims, traceparent`,
      [
        ...due.flatMap(({ bindings }) => bindings),
        this.session.name('jobs'),
        ...Array.from({ length: 3 }, () => Math.round(leaseMs)),
      ],
    )
    return claimed.map(toJob).sort((one, other) => one.id - other.id)
  }

  /**
   * SQL for the claimable jobs of a lane or of all lanes, in the order of their due time. It contains numbers
   * literally.
   */
  #due(
    kinds: readonly string[],
    share: LaneShare | undefined,
  ): { readonly sql: string; readonly bindings: readonly string[] } {
    const inLane = share === undefined ? '' : `and lane = ${literal(share.lane)}`
    const orderAndLimit = `order by due_ms, id limit ${literal(share?.most ?? 1)}`
    // Jobs that another process claims at the same time are skipped.
    const lockClause = this.session.dialect.hasOneWriter ? '' : 'for update skip locked'
    const ofKind = `select id, due_ms from ?? where kind = ? ${inLane} and ${this.#isDue} ${orderAndLimit} ${lockClause}`
    const bindings = kinds.flatMap((kind) => [this.session.name('jobs'), kind])
    if (kinds.length === 1) return { sql: ofKind, bindings }
    // Each kind is read by itself, in the order of the index. One query for all kinds would sort all due jobs.
    const ofKinds = kinds.map(() => `select id, due_ms from (${ofKind}) as due`).join(' union all ')
    return { sql: `select id from (${ofKinds}) as due ${orderAndLimit}`, bindings }
  }

  get #isDue(): string {
    return `due_ms <= ${this.#now} and lease_expires_ms <= ${this.#now}`
  }

  async extend(job: ClaimedJob, leaseMs: number, options?: { readonly isProgress?: boolean }): Promise<boolean> {
    return await this.extendAll([job], leaseMs, options)
  }

  async extendAll(
    jobs: readonly ClaimedJob[],
    leaseMs: number,
    { isProgress = false }: { readonly isProgress?: boolean } = {},
  ): Promise<boolean> {
    const leaseExpires = this.fromNow(leaseMs)
    const changes = {
      due_ms: leaseExpires,
      lease_expires_ms: leaseExpires,
      wait_ms: Math.round(leaseMs),
      ...(isProgress && { claims: 0 }),
    }
    let extended = 0
    for (const part of inParts(jobs)) extended += await this.#held(part).update(changes)
    return extended === jobs.length
  }

  async complete(job: ClaimedJob): Promise<boolean> {
    return await this.completeAll([job])
  }

  async completeAll(jobs: readonly ClaimedJob[]): Promise<boolean> {
    let completed = 0
    for (const part of inParts(jobs)) completed += await this.#held(part).delete()
    return completed === jobs.length
  }

  async release(job: ClaimedJob, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean> {
    const released = await this.#held([job]).update({
      due_ms: this.fromNow(options.delayMs),
      lease_expires_ms: 0,
      wait_ms: Math.round(options.delayMs),
      failures: job.failures + (options.failed ? 1 : 0),
      claims: options.failed ? 0 : this.session.knex.raw('case when claims > 0 then claims - 1 else 0 end'),
    })
    return released > 0
  }

  async isAnyOverlong(kinds: readonly string[]): Promise<boolean> {
    return (await this.#overlong(kinds).first('id')) !== undefined
  }

  async boundWaits(kinds: readonly string[]): Promise<void> {
    const bound = (column: string) =>
      this.session.knex.raw(
        `case when ${column} > ${this.#now} + wait_ms then ${this.#now} + wait_ms else ${column} end`,
      )
    const overlong = this.#overlong(kinds).select('id')
    // A job that another transaction changes gets a right time by that change.
    if (!this.session.dialect.hasOneWriter) void overlong.forUpdate().skipLocked()
    await this.rows
      .whereIn('id', overlong)
      .update({ due_ms: bound('due_ms'), lease_expires_ms: bound('lease_expires_ms') })
  }

  /** `due_ms` is never before the end of a lease. */
  #overlong(kinds: readonly string[]): Knex.QueryBuilder<Row, Row[]> {
    // The first condition is in the index, so that a poll reads only the rows of jobs that wait.
    return this.rows
      .whereIn('kind', kinds)
      .whereRaw(`due_ms > ${this.#now}`)
      .whereRaw(`due_ms > ${this.#now} + wait_ms`)
  }

  async isHeld({ kind, subject }: Pick<NewJob, 'kind' | 'subject'>): Promise<boolean> {
    const held = this.rows.where({ kind, subject }).whereRaw(`lease_expires_ms > ${this.#now}`)
    return (await held.first('id')) !== undefined
  }

  async cancelAll(jobs: readonly Pick<NewJob, 'kind' | 'subject'>[]): Promise<void> {
    for (const part of inParts(jobs)) {
      const keys = part.map(({ kind, subject }) => [kind, subject])
      await this.rows.whereIn(['kind', 'subject'], keys).delete()
    }
  }

  async cancelLane(kind: string, lane: number): Promise<void> {
    await this.rows.where({ kind, lane }).delete()
  }

  async releaseAll(kinds?: readonly string[]): Promise<void> {
    const held = this.rows.where('lease_expires_ms', '>', 0)
    await (kinds === undefined ? held : held.whereIn('kind', kinds)).update({
      due_ms: this.fromNow(0),
      lease_expires_ms: 0,
      wait_ms: 0,
    })
  }

  get #now(): string {
    return this.session.dialect.nowMs
  }

  /** The jobs among these that are still held by the given claims. */
  #held(jobs: readonly ClaimedJob[]): Knex.QueryBuilder<Row, number> {
    const ids = jobs.map(({ id }) => id)
    const claims = jobs.map(({ id, fencingToken }) => [id, fencingToken])
    // The first condition lets the database use the primary key, even if it does not for pairs.
    const held = this.rows.whereIn('id', ids).whereIn(['id', 'fencing_token'], claims)
    return held as unknown as Knex.QueryBuilder<Row, number>
  }
}

/** Groups jobs whose texts are equal, so that one statement inserts them. */
function groupAlike(jobs: readonly NewJob[]): Iterable<readonly NewJob[]> {
  const groups = new Map<string, NewJob[]>()
  for (const job of jobs) {
    const key = `${job.kind} ${job.traceparent ?? ''}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [job])
    else group.push(job)
  }
  return groups.values()
}

/** Writes an integer into a statement. @throws RangeError for any other value, which would be unsafe there */
function literal(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`)
  return String(value)
}

function toJob(row: Row): ClaimedJob {
  return {
    id: number(row, 'id'),
    kind: text(row, 'kind'),
    subject: number(row, 'subject'),
    lane: number(row, 'lane'),
    companyId: number(row, 'company_id'),
    fencingToken: number(row, 'fencing_token'),
    failures: number(row, 'failures'),
    claims: number(row, 'claims'),
    traceparent: textOrNull(row, 'traceparent'),
  }
}
