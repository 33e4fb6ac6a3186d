import type { RevokedToken, RevokedTokenRepository } from '../../../src/ports/index.js'
import { quoted } from '../tables.js'
import { KnexRepository, type Session } from './base.js'

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
