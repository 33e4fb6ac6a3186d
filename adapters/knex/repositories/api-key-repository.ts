import type { Knex } from 'knex'
import {
  AlreadyExistsError,
  type ApiKeyFilter,
  type ApiKeyName,
  type ApiKeyRecord,
  type ApiKeyRepository,
  errorReason,
  type KeyOfToken,
  type Page,
  type RowPage,
  type TokenIds,
  type UsersFilter,
} from '../../../src/ports/index.js'
import { Columns, INTEGER, jsonColumn, OPTIONAL_INTEGER, TEXT, TEXT_OR_NULL } from '../columns.js'
import { isUniqueViolation } from '../errors.js'
import { quoted, type Row, type TableName } from '../tables.js'
import { descendants } from './company-repositories.js'
import { idsOfUsers, KnexRepository, type Session } from './knex-repository.js'
import { ACCESS_COLUMN_LIST, accessJoins, toAccess } from './permission-repository.js'

const API_KEY = new Columns<ApiKeyRecord>({
  id: INTEGER,
  clientId: TEXT,
  secretHash: TEXT,
  companyId: INTEGER,
  userId: INTEGER,
  targets: jsonColumn(),
  // Another word gives less sight, not more.
  sight: { read: (row, column) => (row[column] === 'account' ? 'account' : 'user') },
  makerId: OPTIONAL_INTEGER,
  created: TEXT,
  expires: TEXT_OR_NULL,
  lastUsed: TEXT_OR_NULL,
  revoked: TEXT_OR_NULL,
})

export class KnexApiKeyRepository extends KnexRepository implements ApiKeyRepository {
  constructor(session: Session) {
    super(session, 'api_keys')
  }

  async insert(key: Omit<ApiKeyRecord, 'id'>): Promise<ApiKeyRecord> {
    try {
      const id = await this.insertRow(API_KEY.toRow(key))
      return { id, ...key }
    } catch (error) {
      if (isUniqueViolation(error))
        throw new AlreadyExistsError('an API key with this client id exists', errorReason('client-id-taken'), {
          cause: error,
        })
      throw error
    }
  }

  async get(id: number): Promise<ApiKeyRecord | undefined> {
    const row = await this.getRow(id)
    return row && API_KEY.toRecord(row)
  }

  async findByClientId(clientId: string): Promise<ApiKeyRecord | undefined> {
    const row = (await this.rows.where('client_id', clientId).select())[0]
    return row && API_KEY.toRecord(row)
  }

  async findOfToken(name: ApiKeyName, { tokenHash, userId, accountId }: TokenIds): Promise<KeyOfToken | undefined> {
    const table = (of: TableName): string => quoted(this.session.name(of))
    const [column, value] = 'id' in name ? ['id', name.id] : ['client_id', name.clientId]
    // Without knex: each request with a token runs this statement.
    const [row] = await this.rawRows(
      `select api_key.*, ${ACCESS_COLUMN_LIST},
         (select count(*) from ${table('revoked_tokens')} where token_hash = ?) as revoked_tokens
       from ${table('api_keys')} api_key
       left join ${table('permissions')} permission on permission.user_id = ? and permission.account_id = ?
       ${accessJoins(this.session.name, 'left join')}
       where api_key.${column} = ?`,
      [tokenHash, userId, accountId, value],
    )
    if (row === undefined) return undefined
    const access = row['permission_id'] === null ? undefined : toAccess(row)
    return { key: API_KEY.toRecord(row), isTokenRevoked: Number(row['revoked_tokens']) > 0, access }
  }

  async touch(id: number, lastUsed: string): Promise<void> {
    await this.updateRow(id, { last_used: lastUsed })
  }

  async list(filter: ApiKeyFilter = {}, page?: RowPage): Promise<readonly ApiKeyRecord[]> {
    return (await this.pageOf(() => this.#filtered(filter), page)).map(API_KEY.toRecord)
  }

  async listIds(filter: ApiKeyFilter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#filtered(filter), page)
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
    return (await keysOfOtherCompanies.orderBy('id').limit(limit).select()).map(API_KEY.toRecord)
  }

  async deleteOf(filter: UsersFilter): Promise<void> {
    await this.rows.whereIn('user_id', idsOfUsers(this.session, filter)).delete()
    if ('companyId' in filter) await this.rows.where('company_id', filter.companyId).delete()
  }

  #filtered({ userId, withinCompanyId }: ApiKeyFilter): Knex.QueryBuilder<Row, Row[]> {
    const rows = this.rows
    if (userId !== undefined) void rows.where('user_id', userId)
    if (withinCompanyId !== undefined) void rows.whereIn('company_id', descendants(this.session, withinCompanyId))
    return rows
  }
}
