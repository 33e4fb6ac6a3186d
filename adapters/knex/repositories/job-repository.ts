import type { Knex } from 'knex'
import type { ClaimedJob, JobRepository, NewJob } from '../../../src/ports/index.js'
import { number, type Row, text } from '../rows.js'
import { KnexRepository, type Session } from './base.js'

export class KnexJobRepository extends KnexRepository implements JobRepository {
  constructor(session: Session) {
    super(session, 'jobs')
  }

  async enqueue(job: NewJob, { delayMs = 0 }: { readonly delayMs?: number } = {}): Promise<void> {
    await this.rows
      .insert({ ...job, due_ms: this.#fromNow(delayMs), lease_expires_ms: 0, fencing_token: 0, failures: 0, claims: 0 })
      .onConflict(['kind', 'subject'])
      .ignore()
  }

  async claim(options: {
    readonly kinds: readonly string[]
    readonly leaseMs: number
  }): Promise<ClaimedJob | undefined> {
    const next = this.rows
      .whereIn('kind', options.kinds)
      .whereRaw(`due_ms <= ${this.#now}`)
      .whereRaw(`lease_expires_ms <= ${this.#now}`)
      .orderBy(['due_ms', 'id'])
      .limit(1)
      .select('id')
    const claimed = await this.rows
      .where('id', '=', next)
      .update({
        lease_expires_ms: this.#fromNow(options.leaseMs),
        fencing_token: this.session.knex.raw('fencing_token + 1'),
        claims: this.session.knex.raw('claims + 1'),
      })
      .returning(['id', 'kind', 'subject', 'fencing_token', 'failures', 'claims'])
    return (claimed as Row[]).map(toJob)[0]
  }

  async extend(
    job: ClaimedJob,
    leaseMs: number,
    { isProgress = false }: { readonly isProgress?: boolean } = {},
  ): Promise<boolean> {
    const changes = { lease_expires_ms: this.#fromNow(leaseMs), ...(isProgress && { claims: 0 }) }
    return (await this.#held(job).update(changes)) > 0
  }

  async complete(job: ClaimedJob): Promise<boolean> {
    return (await this.#held(job).delete()) > 0
  }

  async release(job: ClaimedJob, options: { readonly delayMs: number; readonly failed: boolean }): Promise<boolean> {
    const released = await this.#held(job).update({
      due_ms: this.#fromNow(options.delayMs),
      lease_expires_ms: 0,
      failures: job.failures + (options.failed ? 1 : 0),
      claims: options.failed ? 0 : this.session.knex.raw('case when claims > 0 then claims - 1 else 0 end'),
    })
    return released > 0
  }

  async cancel(job: NewJob): Promise<boolean> {
    return (await this.rows.where({ kind: job.kind, subject: job.subject }).delete()) > 0
  }

  async releaseAll(): Promise<void> {
    await this.rows.update({ lease_expires_ms: 0 })
  }

  async nextDueInMs(kinds: readonly string[]): Promise<number | undefined> {
    const greatest = `case when due_ms > lease_expires_ms then due_ms else lease_expires_ms end`
    const rows = (await this.rows
      .whereIn('kind', kinds)
      .select(this.session.knex.raw(`min(${greatest}) - ${this.#now} as wait`))) as unknown as Row[]
    const wait = rows[0]?.['wait']
    return wait === null || wait === undefined ? undefined : Math.max(0, Number(wait))
  }

  get #now(): string {
    return this.session.dialect.nowMs
  }

  #fromNow(ms: number): Knex.Raw {
    return this.session.knex.raw(`${this.#now} + ?`, [ms])
  }

  /** The job, as long as this claim of it is the last. */
  #held(job: ClaimedJob): Knex.QueryBuilder<Row, number> {
    return this.rows.where({ id: job.id, fencing_token: job.fencingToken }) as unknown as Knex.QueryBuilder<Row, number>
  }
}

function toJob(row: Row): ClaimedJob {
  return {
    id: number(row, 'id'),
    kind: text(row, 'kind'),
    subject: number(row, 'subject'),
    fencingToken: number(row, 'fencing_token'),
    failures: number(row, 'failures'),
    claims: number(row, 'claims'),
  }
}
