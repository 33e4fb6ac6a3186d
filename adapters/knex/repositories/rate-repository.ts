import type { RateLimit, RateOutcome, RateRepository } from '../../../src/ports/index.js'
import { number, type Row } from '../rows.js'
import { quoted } from '../tables.js'
import { KnexRepository, type Session } from './base.js'

export class KnexRateRepository extends KnexRepository implements RateRepository {
  constructor(session: Session) {
    super(session, 'rates')
  }

  async take(name: string, limit: RateLimit): Promise<RateOutcome> {
    const { most, windowMs, now } = limit
    const nowMs = now.getTime()
    const table = quoted(this.session.name('rates'))
    // A window is replaced if it has ended, or if it ends too late because a clock was set back.
    const isOver = `(${table}.ends_ms <= ? or ${table}.ends_ms > ?)`
    const bounds = [nowMs, nowMs + windowMs]
    const [row] = await this.rawRows(
      `insert into ${table} (name, ends_ms, count) values (?, ?, 1)
       on conflict (name) do update set
         count = case when ${isOver} then 1 when ${table}.count > ? then ${table}.count else ${table}.count + 1 end,
         ends_ms = case when ${isOver} then ? else ${table}.ends_ms end
       returning ends_ms, count`,
      [name, nowMs + windowMs, ...bounds, most, ...bounds, nowMs + windowMs],
    )
    return outcomeOf(row, (count) => count <= most, nowMs)
  }

  async peek(name: string, { most, windowMs, now }: RateLimit): Promise<RateOutcome> {
    const nowMs = now.getTime()
    const rows = this.rows.where({ name }).where('ends_ms', '>', nowMs)
    const [row] = await rows.where('ends_ms', '<=', nowMs + windowMs).select('ends_ms', 'count')
    return outcomeOf(row, (count) => count < most, nowMs)
  }

  async forget(name: string): Promise<void> {
    await this.rows.where({ name }).delete()
  }

  async removeEnded({ now, limit }: { readonly now: Date; readonly limit: number }): Promise<number> {
    const ended = this.rows.where('ends_ms', '<=', now.getTime()).orderBy('ends_ms').limit(limit).select('name')
    return await this.rows.whereIn('name', ended).delete()
  }
}

function outcomeOf(row: Row | undefined, isWithin: (count: number) => boolean, nowMs: number): RateOutcome {
  if (row === undefined || isWithin(number(row, 'count'))) return { isAllowed: true, retryAfterMs: 0 }
  return { isAllowed: false, retryAfterMs: Math.max(1, number(row, 'ends_ms') - nowMs) }
}
