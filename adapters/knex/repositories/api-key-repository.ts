import {
  AlreadyExistsError,
  type ApiKeyRecord,
  type ApiKeyRepository,
  type Page,
  type UsersFilter,
} from '../../../src/ports/index.js'
import { isUniqueViolation } from '../errors.js'
import { number, type Row, text, textOrNull, texts } from '../tables.js'
import { idsOfUsers, KnexRepository, type Session } from './knex-repository.js'

export class KnexApiKeyRepository extends KnexRepository implements ApiKeyRepository {
  constructor(session: Session) {
    super(session, 'api_keys')
  }

  async insert(key: Omit<ApiKeyRecord, 'id'>): Promise<ApiKeyRecord> {
    try {
      const id = await this.insertRow({
        client_id: key.clientId,
        secret_hash: key.secretHash,
        company_id: key.companyId,
        user_id: key.userId,
        targets: JSON.stringify(key.targets),
        sight: key.sight,
        created: key.created,
        expires: key.expires,
        last_used: key.lastUsed,
        revoked: key.revoked,
      })
      return { id, ...key }
    } catch (error) {
      if (isUniqueViolation(error))
        throw new AlreadyExistsError('an API key with this client id exists', { cause: error })
      throw error
    }
  }

  async get(id: number): Promise<ApiKeyRecord | undefined> {
    const row = await this.getRow(id)
    return row && toApiKey(row)
  }

  async findByClientId(clientId: string): Promise<ApiKeyRecord | undefined> {
    const row = (await this.rows.where('client_id', clientId).select())[0]
    return row && toApiKey(row)
  }

  async touch(id: number, lastUsed: string): Promise<void> {
    await this.updateRow(id, { last_used: lastUsed })
  }

  async list(filter: { readonly userId?: number } = {}): Promise<readonly ApiKeyRecord[]> {
    const query = this.rows.orderBy('id')
    if (filter.userId !== undefined) void query.where('user_id', filter.userId)
    return (await query.select()).map(toApiKey)
  }

  async countUsable(companyId: number, now: string): Promise<number> {
    const notRevoked = this.rows.where('company_id', companyId).whereNull('revoked')
    return await this.countOf(
      notRevoked.where((either) => void either.whereNull('expires').orWhere('expires', '>', now)),
    )
  }

  async revoke(id: number, revoked: string): Promise<boolean> {
    return await this.updateRow(id, { revoked: this.session.knex.raw('coalesce(revoked, ?)', [revoked]) })
  }

  async listAbroad(companyId: number, { after, limit }: Page): Promise<readonly ApiKeyRecord[]> {
    const keysOfOtherCompanies = this.rows
      .whereIn('user_id', idsOfUsers(this.session, { companyId }))
      .whereNot('company_id', companyId)
      .whereNull('revoked')
      .where('id', '>', after)
    return (await keysOfOtherCompanies.orderBy('id').limit(limit).select()).map(toApiKey)
  }

  async deleteOf(filter: UsersFilter): Promise<void> {
    await this.rows.whereIn('user_id', idsOfUsers(this.session, filter)).delete()
    if ('companyId' in filter) await this.rows.where('company_id', filter.companyId).delete()
  }
}

function toApiKey(row: Row): ApiKeyRecord {
  return {
    id: number(row, 'id'),
    clientId: text(row, 'client_id'),
    secretHash: text(row, 'secret_hash'),
    companyId: number(row, 'company_id'),
    userId: number(row, 'user_id'),
    targets: texts(row, 'targets'),
    // A key of before has no value here, and another word gives less sight, not more.
    sight: text(row, 'sight') === 'account' ? 'account' : 'user',
    created: text(row, 'created'),
    expires: textOrNull(row, 'expires'),
    lastUsed: textOrNull(row, 'last_used'),
    revoked: textOrNull(row, 'revoked'),
  }
}
