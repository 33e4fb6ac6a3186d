import {
  AlreadyExistsError,
  type Page,
  type RoleRecord,
  type RoleRepository,
  type RowPage,
  type UserRecord,
  type UserRepository,
  type UsersFilter,
} from '../../../src/ports/index.js'
import { isUniqueViolation } from '../errors.js'
import { boolean, number, numberOrNull, type Row, text, textOrNull, texts } from '../rows.js'
import { KnexRepository, type Session } from './base.js'
import { idsOfUsers } from './users-filter.js'

export class KnexRoleRepository extends KnexRepository implements RoleRepository {
  constructor(session: Session) {
    super(session, 'roles')
  }

  async insert(role: Omit<RoleRecord, 'id' | 'isDisabled'>): Promise<RoleRecord> {
    const id = await this.insertRow({
      company_id: role.companyId,
      name: role.name,
      applications: JSON.stringify(role.applications),
      capabilities: JSON.stringify(role.capabilities),
    })
    return { id, ...role, isDisabled: false }
  }

  async get(id: number): Promise<RoleRecord | undefined> {
    const row = await this.getRow(id)
    return row && toRole(row)
  }

  async list(filter?: { readonly usableBy: number }): Promise<readonly RoleRecord[]> {
    const query = this.rows.orderBy('id')
    if (filter !== undefined) {
      void query.where((either) => {
        void either.whereNull('company_id').orWhere('company_id', filter.usableBy)
      })
    }
    return (await query.select()).map(toRole)
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

export class KnexUserRepository extends KnexRepository implements UserRepository {
  constructor(session: Session) {
    super(session, 'users')
  }

  async insert(user: Omit<UserRecord, 'id' | 'isDisabled'>): Promise<UserRecord> {
    try {
      const id = await this.insertRow({
        company_id: user.companyId,
        email: user.email,
        email_key: user.emailKey,
        first_name: user.firstName,
        last_name: user.lastName,
        name: user.name,
        created: user.created,
        last_access: user.lastAccess,
        password_hash: user.passwordHash,
      })
      return { id, ...user, isDisabled: false }
    } catch (error) {
      if (isUniqueViolation(error))
        throw new AlreadyExistsError('a user with this e-mail address exists', { cause: error })
      throw error
    }
  }

  async get(id: number): Promise<UserRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? toUser(row) : undefined
  }

  async findByEmailKey(companyId: number, emailKey: string): Promise<UserRecord | undefined> {
    const row = (await this.#filtered({ companyId }).where('email_key', emailKey).select())[0]
    return row && toUser(row)
  }

  async listByEmailKey(emailKey: string): Promise<readonly UserRecord[]> {
    return (await this.#filtered({}).where('email_key', emailKey).orderBy('id').select()).map(toUser)
  }

  async list(filter: Filter = {}, page?: RowPage): Promise<readonly UserRecord[]> {
    return (await this.pageOf(() => this.#filtered(filter), page)).map(toUser)
  }

  async listIds(filter: Filter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#filtered(filter), page)
  }

  async count(companyId: number): Promise<number> {
    return await this.countOf(this.#filtered({ companyId }))
  }

  async update(
    id: number,
    changes: Partial<Pick<UserRecord, 'passwordHash' | 'lastAccess' | 'isDisabled'>>,
  ): Promise<boolean> {
    const { passwordHash, lastAccess, isDisabled } = changes
    const changed = await this.rows
      .where('id', id)
      .whereNull('deleted')
      .update({
        ...(passwordHash !== undefined && { password_hash: passwordHash }),
        ...(lastAccess !== undefined && { last_access: lastAccess }),
        ...(isDisabled !== undefined && { is_disabled: isDisabled }),
      })
    return changed > 0
  }

  async erase(filter: UsersFilter, deleted: string): Promise<void> {
    await this.rows
      .whereIn('id', idsOfUsers(this.session, filter))
      .whereNull('deleted')
      .update({
        email: '',
        // A unique value that is no address, so that the user's address can be used for a new user.
        email_key: this.session.knex.raw("'deleted:' || id"),
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

function toRole(row: Row): RoleRecord {
  return {
    id: number(row, 'id'),
    companyId: numberOrNull(row, 'company_id'),
    name: text(row, 'name'),
    applications: texts(row, 'applications'),
    capabilities: texts(row, 'capabilities'),
    isDisabled: boolean(row, 'is_disabled'),
  }
}

function toUser(row: Row): UserRecord {
  return {
    id: number(row, 'id'),
    companyId: number(row, 'company_id'),
    email: text(row, 'email'),
    emailKey: text(row, 'email_key'),
    firstName: text(row, 'first_name'),
    lastName: text(row, 'last_name'),
    name: text(row, 'name'),
    created: text(row, 'created'),
    lastAccess: textOrNull(row, 'last_access'),
    passwordHash: textOrNull(row, 'password_hash'),
    isDisabled: boolean(row, 'is_disabled'),
  }
}
