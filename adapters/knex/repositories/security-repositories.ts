import type { Knex } from 'knex'
import type {
  AuditFilter,
  AuditRecord,
  AuditRepository,
  OneTimePasswordRecord,
  OneTimePasswordRepository,
  RateLimit,
  RateOutcome,
  RateRepository,
  RevokedToken,
  RevokedTokenRepository,
  UsersFilter,
} from '../../../src/ports/index.js'
import { Columns, INTEGER, INTEGER_OR_NULL, jsonColumn, TEXT, TEXT_OR_NULL, wordColumn } from '../columns.js'
import { number, numberOrNull, quoted, type Row, textOrNull } from '../tables.js'
import { descendants } from './company-repositories.js'
import { idsOfUsers, inParts, KnexRepository, type Session } from './knex-repository.js'

export class KnexOneTimePasswordRepository extends KnexRepository implements OneTimePasswordRepository {
  constructor(session: Session) {
    super(session, 'one_time_passwords')
  }

  async get(userId: number): Promise<OneTimePasswordRecord | undefined> {
    const row = (await this.rows.where('user_id', userId).select())[0]
    return (
      row && {
        userId,
        secret: textOrNull(row, 'secret'),
        pendingSecret: textOrNull(row, 'pending_secret'),
        lastStep: numberOrNull(row, 'last_step'),
      }
    )
  }

  async listUserIds(among?: readonly number[]): Promise<readonly number[]> {
    const withSecrets = () => this.rows.whereNotNull('secret').orderBy('user_id').select('user_id')
    if (among === undefined) return (await withSecrets()).map((row) => number(row, 'user_id'))
    const found: number[] = []
    for (const part of inParts(among.toSorted((one, other) => one - other))) {
      const rows: Row[] = await withSecrets().whereIn('user_id', part)
      found.push(...rows.map((row) => number(row, 'user_id')))
    }
    return found
  }

  async lock(userId: number): Promise<void> {
    if (this.session.dialect.hasOneWriter) return
    await this.rows.where('user_id', userId).forUpdate().select('user_id')
  }

  async putPending(userId: number, pendingSecret: string): Promise<void> {
    const row = { user_id: userId, pending_secret: pendingSecret }
    await this.rows.insert(row).onConflict('user_id').merge(['pending_secret'])
  }

  async activate(userId: number, pendingSecret: string, step: number): Promise<boolean> {
    const pending = this.rows.where({ user_id: userId, pending_secret: pendingSecret })
    return (await pending.update({ secret: pendingSecret, pending_secret: null, last_step: step })) > 0
  }

  async consumeStep(userId: number, secret: string, step: number): Promise<boolean> {
    const earlier = this.rows.where({ user_id: userId, secret }).where((either) => {
      void either.whereNull('last_step').orWhere('last_step', '<', step)
    })
    return (await earlier.update({ last_step: step })) > 0
  }

  async replaceRecoveryCodes(userId: number, hashes: readonly string[]): Promise<void> {
    await this.#codes.where('user_id', userId).delete()
    if (hashes.length > 0) await this.#codes.insert(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
  }

  async consumeRecoveryCode(userId: number, hash: string): Promise<boolean> {
    return (await this.#codes.where({ user_id: userId, code_hash: hash }).delete()) > 0
  }

  async countRecoveryCodes(userId: number): Promise<number> {
    return (await this.#codes.where('user_id', userId).select('code_hash')).length
  }

  async removeOf(filter: UsersFilter): Promise<boolean> {
    await this.#codes.whereIn('user_id', idsOfUsers(this.session, filter)).delete()
    return (await this.rows.whereIn('user_id', idsOfUsers(this.session, filter)).delete()) > 0
  }

  get #codes(): Knex.QueryBuilder<Row, Row[]> {
    return this.session.knex<Row>(this.session.name('recovery_codes'))
  }
}

export class KnexRevokedTokenRepository extends KnexRepository implements RevokedTokenRepository {
  constructor(session: Session) {
    super(session, 'revoked_tokens')
  }

  async add({ tokenHash, expiresMs }: RevokedToken): Promise<boolean> {
    const row = { token_hash: tokenHash, expires_ms: expiresMs }
    return (await this.rows.insert(row).onConflict('token_hash').ignore().returning('token_hash')).length > 0
  }

  async has(tokenHash: string): Promise<boolean> {
    const table = quoted(this.session.name('revoked_tokens'))
    // Each request runs this statement. Building it with knex would take as long as running it.
    return (await this.rawRows(`select 1 from ${table} where token_hash = ?`, [tokenHash])).length > 0
  }

  async removeExpired({ now, limit }: { readonly now: Date; readonly limit: number }): Promise<number> {
    const expired = this.rows.where('expires_ms', '<=', now.getTime()).orderBy('expires_ms').limit(limit)
    return await this.rows.whereIn('token_hash', expired.select('token_hash')).delete()
  }
}

export class KnexRateRepository extends KnexRepository implements RateRepository {
  constructor(session: Session) {
    super(session, 'rates')
  }

  async consume(name: string, limit: RateLimit): Promise<RateOutcome> {
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

const AUDIT = new Columns<AuditRecord>({
  id: INTEGER,
  time: TEXT,
  action: TEXT,
  outcome: wordColumn(),
  companyId: INTEGER_OR_NULL,
  actorKind: wordColumn(),
  actorUserId: INTEGER_OR_NULL,
  actorCompanyId: INTEGER_OR_NULL,
  clientId: TEXT_OR_NULL,
  remoteAddress: TEXT_OR_NULL,
  requestId: TEXT_OR_NULL,
  targetType: TEXT,
  targetId: INTEGER_OR_NULL,
  details: jsonColumn(),
})

export class KnexAuditRepository extends KnexRepository implements AuditRepository {
  constructor(session: Session) {
    super(session, 'audit')
  }

  async append(record: Omit<AuditRecord, 'id'>): Promise<void> {
    await this.rows.insert(AUDIT.toRow(record))
  }

  async appendAll(records: readonly Omit<AuditRecord, 'id'>[]): Promise<void> {
    for (const part of inParts(records)) await this.rows.insert(part.map((record) => AUDIT.toRow(record)))
  }

  async list(filter: AuditFilter): Promise<readonly AuditRecord[]> {
    const { withinCompanyId, companyId, action, actorUserId, from, to, beforeId, limit } = filter
    const rows = this.rows.orderBy('id', 'desc').limit(limit)
    if (companyId !== undefined) void rows.where('company_id', companyId)
    if (withinCompanyId !== undefined) void rows.whereIn('company_id', descendants(this.session, withinCompanyId))
    if (action !== undefined) void rows.where('action', action)
    if (actorUserId !== undefined) void rows.where('actor_user_id', actorUserId)
    if (from !== undefined) void rows.where('time', '>=', from)
    if (to !== undefined) void rows.where('time', '<', to)
    if (beforeId !== undefined) void rows.where('id', '<', beforeId)
    return (await rows.select()).map(AUDIT.toRecord)
  }

  async removeOlderThan(time: string, limit: number): Promise<number> {
    const old = this.rows.where('time', '<', time).orderBy('time').orderBy('id').limit(limit).select('id')
    return await this.rows.whereIn('id', old).delete()
  }
}
