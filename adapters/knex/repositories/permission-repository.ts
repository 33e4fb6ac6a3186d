import {
  type AccessRecord,
  AlreadyExistsError,
  errorReason,
  type Page,
  type PermissionAbroad,
  type PermissionDetails,
  type PermissionRecord,
  type PermissionRepository,
  type UsersFilter,
} from '../../../src/ports/index.js'
import { BOOLEAN, Columns, INTEGER, TEXT, TEXT_OR_NULL } from '../columns.js'
import { isUniqueViolation } from '../errors.js'
import { boolean, json, type NameTable, number, quoted, type Row, type TableName, text, textOrNull } from '../tables.js'
import { idsOfUsers, inParts, KnexRepository, type Session } from './knex-repository.js'

const PERMISSION = new Columns<PermissionRecord>({
  id: INTEGER,
  userId: INTEGER,
  accountId: INTEGER,
  roleId: INTEGER,
  isDisabled: BOOLEAN,
  created: TEXT,
  createdBy: TEXT,
  lastAccess: TEXT_OR_NULL,
})

export class KnexPermissionRepository extends KnexRepository implements PermissionRepository {
  constructor(session: Session) {
    super(session, 'permissions')
  }

  async insert(permission: Omit<PermissionRecord, 'id'>): Promise<PermissionRecord> {
    try {
      const id = await this.insertRow(PERMISSION.toRow(permission))
      return { id, ...permission }
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new AlreadyExistsError(
        'Permission already exists for this user and account',
        errorReason('permission-exists'),
        { cause: error },
      )
    }
  }

  async get(id: number): Promise<PermissionRecord | undefined> {
    const row = await this.getRow(id)
    return row && PERMISSION.toRecord(row)
  }

  async list(
    filter: { readonly userId?: number; readonly accountId?: number; readonly roleId?: number } = {},
  ): Promise<readonly PermissionRecord[]> {
    const { userId, accountId, roleId } = filter
    const query = this.rows.orderBy('id')
    if (userId !== undefined) void query.where('user_id', userId)
    if (accountId !== undefined) void query.where('account_id', accountId)
    if (roleId !== undefined) void query.where('role_id', roleId)
    return (await query.select()).map(PERMISSION.toRecord)
  }

  async setRole(id: number, roleId: number): Promise<boolean> {
    return await this.updateRow(id, { role_id: roleId })
  }

  async toggle(id: number): Promise<boolean> {
    return await this.updateRow(id, { is_disabled: this.session.knex.raw('not is_disabled') })
  }

  async delete(id: number): Promise<boolean> {
    return (await this.rows.where('id', id).delete()) > 0
  }

  async listAbroad(companyId: number, { after, limit }: Page): Promise<readonly PermissionAbroad[]> {
    const rows: Row[] = await this.#joined()
      .where('person.company_id', companyId)
      .whereNot('account.company_id', companyId)
      .where('permission.id', '>', after)
      .orderBy('permission.id')
      .limit(limit)
      .select(
        'permission.id',
        'permission.user_id',
        'permission.account_id',
        'permission.role_id',
        'account.company_id',
      )
    return rows.map((row) => ({
      id: number(row, 'id'),
      userId: number(row, 'user_id'),
      accountId: number(row, 'account_id'),
      roleId: number(row, 'role_id'),
      companyId: number(row, 'company_id'),
    }))
  }

  async deleteOfCompany(companyId: number): Promise<void> {
    const { knex, name } = this.session
    const accounts = knex.select('id').from(name('accounts')).where('company_id', companyId)
    await this.rows
      .whereIn('account_id', accounts)
      .orWhereIn('user_id', idsOfUsers(this.session, { companyId }))
      .delete()
  }

  async eraseCreators(filter: UsersFilter): Promise<void> {
    const { knex, dialect } = this.session
    const creator = dialect.hasOneWriter
      ? "json_extract(created_by, '$.id')"
      : "cast(cast(created_by as json) ->> 'id' as bigint)"
    await this.rows
      .whereRaw(`${creator} in (?)`, [idsOfUsers(this.session, filter)])
      .update({ created_by: knex.raw(`'{"id":' || ${creator} || ',"email":""}'`) })
  }

  async findAccess(userId: number, accountId: number): Promise<AccessRecord | undefined> {
    // Each request runs this statement. Building it with knex would take as long as running it.
    const rows = await this.rawRows(
      `select ${ACCESS_COLUMN_LIST} from ${this.#joins()}
       where permission.user_id = ? and permission.account_id = ?`,
      [userId, accountId],
    )
    return rows[0] && toAccess(rows[0])
  }

  async listAccess(userId: number, application: string): Promise<readonly AccessRecord[]> {
    const rows: Row[] = await this.#joined()
      .where({ 'permission.user_id': userId, 'account.application': application })
      .orderBy('account.id')
      .select(ACCESS_COLUMNS)
    return rows.map(toAccess)
  }

  async listAccessOfCompany(companyId: number, application: string): Promise<readonly AccessRecord[]> {
    const rows: Row[] = await this.#joined()
      .where({ 'account.company_id': companyId, 'account.application': application })
      .orderBy('permission.id')
      .select(ACCESS_COLUMNS)
    return rows.map(toAccess)
  }

  async listDetails(userIds: readonly number[]): Promise<readonly PermissionDetails[]> {
    const found: PermissionDetails[] = []
    for (const part of inParts(userIds)) {
      const rows: Row[] = await this.#joined()
        .join({ region: this.session.name('regions') }, 'region.id', 'account.region_id')
        .whereIn('permission.user_id', part)
        .orderBy('permission.id')
        .select(DETAILS_COLUMNS)
      found.push(...rows.map(toDetails))
    }
    return found
  }

  async touch(id: number, lastAccess: string): Promise<void> {
    await this.updateRow(id, { last_access: lastAccess })
  }

  #joined() {
    const { knex } = this.session
    return knex.from(knex.raw(this.#joins()))
  }

  #joins(): string {
    return `${quoted(this.session.name('permissions'))} permission ${accessJoins(this.session.name)}`
  }
}

/** Joins the rows of an access to a row of `permission`. @param kind `left join` if there may be no such row */
export function accessJoins(name: NameTable, kind: 'join' | 'left join' = 'join'): string {
  const table = (of: TableName): string => quoted(name(of))
  return `${kind} ${table('users')} person on person.id = permission.user_id
       ${kind} ${table('companies')} employer on employer.id = person.company_id
       ${kind} ${table('accounts')} account on account.id = permission.account_id
       ${kind} ${table('companies')} company on company.id = account.company_id
       ${kind} ${table('roles')} role on role.id = permission.role_id`
}

const ACCESS_COLUMNS = {
  person_id: 'person.id',
  user_company: 'person.company_id',
  email: 'person.email',
  is_user_disabled: 'person.is_disabled',
  user_epoch: 'person.login_epoch',
  employer_epoch: 'employer.login_epoch',
  is_employer_disabled: 'employer.is_disabled',
  account_id: 'account.id',
  account_company: 'account.company_id',
  application: 'account.application',
  is_active: 'account.is_active',
  is_company_disabled: 'company.is_disabled',
  company_epoch: 'company.login_epoch',
  permission_id: 'permission.id',
  is_disabled: 'permission.is_disabled',
  applications: 'role.applications',
  capabilities: 'role.capabilities',
  is_role_disabled: 'role.is_disabled',
}

/** No name of a column is one of an API key. */
export const ACCESS_COLUMN_LIST: string = Object.entries(ACCESS_COLUMNS)
  .map(([name, column]) => `${column} as ${name}`)
  .join()

const DETAILS_COLUMNS = {
  id: 'permission.id',
  user_id: 'permission.user_id',
  is_disabled: 'permission.is_disabled',
  created: 'permission.created',
  last_access: 'permission.last_access',
  role_id: 'role.id',
  role_name: 'role.name',
  account_id: 'account.id',
  account_name: 'account.name',
  account_company: 'account.company_id',
  application: 'account.application',
  is_active: 'account.is_active',
  region_id: 'region.id',
  region_name: 'region.name',
}

function toDetails(row: Row): PermissionDetails {
  return {
    id: number(row, 'id'),
    userId: number(row, 'user_id'),
    isDisabled: boolean(row, 'is_disabled'),
    created: text(row, 'created'),
    lastAccess: textOrNull(row, 'last_access'),
    role: { id: number(row, 'role_id'), name: text(row, 'role_name') },
    account: {
      id: number(row, 'account_id'),
      name: text(row, 'account_name'),
      companyId: number(row, 'account_company'),
      application: text(row, 'application'),
      isActive: boolean(row, 'is_active'),
    },
    region: { id: number(row, 'region_id'), name: text(row, 'region_name') },
  }
}

export function toAccess(row: Row): AccessRecord {
  return {
    user: {
      id: number(row, 'person_id'),
      companyId: number(row, 'user_company'),
      email: text(row, 'email'),
      isDisabled: boolean(row, 'is_user_disabled'),
      isCompanyDisabled: boolean(row, 'is_employer_disabled'),
      loginEpoch: number(row, 'user_epoch'),
      companyLoginEpoch: number(row, 'employer_epoch'),
    },
    account: {
      id: number(row, 'account_id'),
      companyId: number(row, 'account_company'),
      application: text(row, 'application'),
      isActive: boolean(row, 'is_active'),
      isCompanyDisabled: boolean(row, 'is_company_disabled'),
      companyLoginEpoch: number(row, 'company_epoch'),
    },
    permission: { id: number(row, 'permission_id'), isDisabled: boolean(row, 'is_disabled') },
    role: {
      applications: json(row, 'applications') as readonly string[],
      capabilities: json(row, 'capabilities') as readonly string[],
      isDisabled: boolean(row, 'is_role_disabled'),
    },
  }
}
