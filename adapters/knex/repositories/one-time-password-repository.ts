import type { Knex } from 'knex'
import type { OneTimePasswordRecord, OneTimePasswordRepository, UsersFilter } from '../../../src/ports/index.js'
import { number, numberOrNull, type Row, textOrNull } from '../rows.js'
import { inParts, KnexRepository, type Session } from './base.js'
import { idsOfUsers } from './users-filter.js'

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

  async takeStep(userId: number, secret: string, step: number): Promise<boolean> {
    const earlier = this.rows.where({ user_id: userId, secret }).where((either) => {
      void either.whereNull('last_step').orWhere('last_step', '<', step)
    })
    return (await earlier.update({ last_step: step })) > 0
  }

  async replaceRecoveryCodes(userId: number, hashes: readonly string[]): Promise<void> {
    await this.#codes.where('user_id', userId).delete()
    if (hashes.length > 0) await this.#codes.insert(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
  }

  async takeRecoveryCode(userId: number, hash: string): Promise<boolean> {
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
