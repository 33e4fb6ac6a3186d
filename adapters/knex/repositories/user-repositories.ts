import {
  AlreadyExistsError,
  type ExpiryRange,
  errorReason,
  type MailPurpose,
  type MailRecord,
  type MailRepository,
  type NewMailRecord,
  type Page,
  type PasswordTokenRecord,
  type PasswordTokenRepository,
  type RoleRecord,
  type RoleRepository,
  type RowPage,
  type UserChanges,
  type UserRecord,
  type UserRepository,
  type UsersFilter,
} from '../../../src/ports/index.js'
import { BOOLEAN, Columns, INTEGER, INTEGER_OR_NULL, jsonColumn, TEXT, TEXT_OR_NULL, wordColumn } from '../columns.js'
import { isUniqueViolation } from '../errors.js'
import { number, text } from '../tables.js'
import { descendants } from './company-repositories.js'
import { idsOfUsers, KnexRepository, type Session } from './knex-repository.js'

const ROLE = new Columns<RoleRecord>({
  id: INTEGER,
  companyId: INTEGER_OR_NULL,
  name: TEXT,
  applications: jsonColumn(),
  capabilities: jsonColumn(),
  isDisabled: BOOLEAN,
})

export class KnexRoleRepository extends KnexRepository implements RoleRepository {
  constructor(session: Session) {
    super(session, 'roles')
  }

  async insert(role: Omit<RoleRecord, 'id' | 'isDisabled'>): Promise<RoleRecord> {
    const id = await this.insertRow(ROLE.toRow(role))
    return { id, ...role, isDisabled: false }
  }

  async get(id: number): Promise<RoleRecord | undefined> {
    const row = await this.getRow(id)
    return row && ROLE.toRecord(row)
  }

  async list(filter?: Parameters<RoleRepository['list']>[0]): Promise<readonly RoleRecord[]> {
    const query = this.rows.orderBy('id')
    if (filter !== undefined) {
      void query.where((either) => {
        void either.whereNull('company_id')
        if ('usableBy' in filter) void either.orWhere('company_id', filter.usableBy)
        else void either.orWhereIn('company_id', descendants(this.session, filter.withinCompanyId))
      })
    }
    return (await query.select()).map(ROLE.toRecord)
  }

  async setDisabled(id: number, isDisabled: boolean): Promise<boolean> {
    return await this.updateRow(id, { is_disabled: isDisabled })
  }

  async delete(id: number): Promise<boolean> {
    return (await this.rows.where('id', id).delete()) > 0
  }

  async deleteOfCompany(companyId: number): Promise<void> {
    await this.rows.where('company_id', companyId).delete()
  }
}

interface Filter {
  readonly companyId?: number
}

const USER = new Columns<UserRecord>({
  id: INTEGER,
  companyId: INTEGER,
  email: TEXT,
  emailKey: TEXT,
  externalId: TEXT_OR_NULL,
  firstName: TEXT,
  lastName: TEXT,
  name: TEXT,
  created: TEXT,
  lastAccess: TEXT_OR_NULL,
  passwordHash: TEXT_OR_NULL,
  isDisabled: BOOLEAN,
  loginEpoch: INTEGER,
})

export class KnexUserRepository extends KnexRepository implements UserRepository {
  constructor(session: Session) {
    super(session, 'users')
  }

  async insert(user: Omit<UserRecord, 'id' | 'isDisabled' | 'loginEpoch'>): Promise<UserRecord> {
    try {
      const id = await this.insertRow(USER.toRow(user))
      return { id, ...user, isDisabled: false, loginEpoch: 0 }
    } catch (error) {
      throw alreadyExists(error)
    }
  }

  async get(id: number): Promise<UserRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? USER.toRecord(row) : undefined
  }

  async getDeleted(id: number): Promise<Pick<UserRecord, 'id' | 'companyId'> | undefined> {
    const [row] = await this.rows.where('id', id).whereNotNull('deleted').select('id', 'company_id')
    return row && { id: number(row, 'id'), companyId: number(row, 'company_id') }
  }

  async findByEmailKey(companyId: number, emailKey: string): Promise<UserRecord | undefined> {
    const row = (await this.#filtered({ companyId }).where('email_key', emailKey).select())[0]
    return row && USER.toRecord(row)
  }

  async listByEmailKey(emailKey: string): Promise<readonly UserRecord[]> {
    return (await this.#filtered({}).where('email_key', emailKey).orderBy('id').select()).map(USER.toRecord)
  }

  async findByExternalId(companyId: number, externalId: string): Promise<UserRecord | undefined> {
    const row = (await this.#filtered({ companyId }).where('external_id', externalId).select())[0]
    return row && USER.toRecord(row)
  }

  async listByExternalId(externalId: string): Promise<readonly UserRecord[]> {
    return (await this.#filtered({}).where('external_id', externalId).orderBy('id').select()).map(USER.toRecord)
  }

  async list(filter: Filter = {}, page?: RowPage): Promise<readonly UserRecord[]> {
    return (await this.pageOf(() => this.#filtered(filter), page)).map(USER.toRecord)
  }

  async listIds(filter: Filter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#filtered(filter), page)
  }

  async count(companyId: number): Promise<number> {
    return await this.countOf(this.#filtered({ companyId }))
  }

  async update(id: number, changes: UserChanges): Promise<boolean> {
    try {
      return (await this.rows.where('id', id).whereNull('deleted').update(USER.toRow(changes))) > 0
    } catch (error) {
      throw alreadyExists(error)
    }
  }

  async erase(filter: UsersFilter, deleted: string): Promise<void> {
    await this.rows
      .whereIn('id', idsOfUsers(this.session, filter))
      .whereNull('deleted')
      .update({
        email: '',
        // A unique value that is no address, so that the user's address can be used for a new user.
        email_key: this.session.knex.raw("'deleted:' || id"),
        external_id: null,
        first_name: '',
        last_name: '',
        name: '',
        last_access: null,
        password_hash: null,
        is_disabled: true,
        deleted,
      })
  }

  #filtered({ companyId }: Filter): KnexRepository['rows'] {
    const live = this.rows.whereNull('deleted')
    return companyId === undefined ? live : live.where('company_id', companyId)
  }
}

/** The error of a statement that writes a user: a sentence if another user has the address or the external id. */
function alreadyExists(error: unknown): unknown {
  if (!isUniqueViolation(error)) return error
  // PostgreSQL names the index, SQLite the columns. Before them, the message may have the whole statement.
  const { message = '', constraint } = error as { readonly message?: string; readonly constraint?: string }
  const violated = constraint ?? message.slice(message.lastIndexOf('UNIQUE constraint failed'))
  if (violated.includes('external_id')) {
    return new AlreadyExistsError('a user with this external id exists', errorReason('external-id-taken'), {
      cause: error,
    })
  }
  return new AlreadyExistsError('a user with this e-mail address exists', errorReason('email-address-taken'), {
    cause: error,
  })
}

export class KnexPasswordTokenRepository extends KnexRepository implements PasswordTokenRepository {
  constructor(session: Session) {
    super(session, 'password_tokens')
  }

  async insert({ userId, tokenHash, expires }: PasswordTokenRecord): Promise<void> {
    await this.rows.insert({ user_id: userId, token_hash: tokenHash, expires })
  }

  async find(tokenHash: string): Promise<PasswordTokenRecord | undefined> {
    const row = (await this.rows.where('token_hash', tokenHash).select())[0]
    return row && { userId: number(row, 'user_id'), tokenHash, expires: text(row, 'expires') }
  }

  async remove(tokenHash: string): Promise<boolean> {
    return (await this.rows.where('token_hash', tokenHash).delete()) > 0
  }

  async countOfUser(userId: number, { after, until }: ExpiryRange): Promise<number> {
    const valid = this.rows.where('user_id', userId).where('expires', '>', after).where('expires', '<=', until)
    return (await valid.select('token_hash')).length
  }

  async removeOfUser(userId: number): Promise<void> {
    await this.rows.where('user_id', userId).delete()
  }

  async removeOfCompany(companyId: number): Promise<void> {
    await this.rows.whereIn('user_id', idsOfUsers(this.session, { companyId })).delete()
  }

  async removeExpired({ after, until }: ExpiryRange): Promise<void> {
    await this.rows.where('expires', '<=', after).orWhere('expires', '>', until).delete()
  }
}

const MAIL = new Columns<MailRecord>({
  id: INTEGER,
  userId: INTEGER,
  purpose: wordColumn(),
  destinationId: INTEGER_OR_NULL,
  created: TEXT,
})

export class KnexMailRepository extends KnexRepository implements MailRepository {
  constructor(session: Session) {
    super(session, 'mails')
  }

  async insert({ userId, purpose, created, destinationId = null }: NewMailRecord): Promise<MailRecord> {
    const mail = { userId, purpose, destinationId, created }
    return { id: await this.insertRow(MAIL.toRow(mail)), ...mail }
  }

  async get(id: number): Promise<MailRecord | undefined> {
    const row = await this.getRow(id)
    return row && MAIL.toRecord(row)
  }

  async countOfUser(userId: number, purposes?: readonly MailPurpose[]): Promise<number> {
    const mailsOfUser = this.rows.where('user_id', userId)
    return (await (purposes === undefined ? mailsOfUser : mailsOfUser.whereIn('purpose', purposes)).select('id')).length
  }

  async removeOf(filter: UsersFilter): Promise<readonly number[]> {
    const mailsOfUsers = () => this.rows.whereIn('user_id', idsOfUsers(this.session, filter))
    const ids = (await mailsOfUsers().orderBy('id').select('id')).map((row) => number(row, 'id'))
    await mailsOfUsers().delete()
    return ids
  }

  async remove(id: number): Promise<void> {
    await this.rows.where('id', id).delete()
  }
}
