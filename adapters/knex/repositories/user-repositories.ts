import {
  AlreadyExistsError,
  type Page,
  type RoleRecord,
  type RoleRepository,
  type RowPage,
  type UserRecord,
  type UserRepository,
} from '../../../src/ports/index.js'
import { isUniqueViolation } from '../errors.js'
import { number, numberOrNull, type Row, text, textOrNull, texts } from '../rows.js'
import { KnexRepository, type Session } from './base.js'

export class KnexRoleRepository extends KnexRepository implements RoleRepository {
  constructor(session: Session) {
    super(session, 'roles')
  }

  async insert(role: Omit<RoleRecord, 'id'>): Promise<RoleRecord> {
    const id = await this.insertRow({
      company_id: role.companyId,
      name: role.name,
      applications: JSON.stringify(role.applications),
      capabilities: JSON.stringify(role.capabilities),
    })
    return { id, ...role }
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
}

interface Filter {
  readonly companyId?: number
}

export class KnexUserRepository extends KnexRepository implements UserRepository {
  constructor(session: Session) {
    super(session, 'users')
  }

  async insert(user: Omit<UserRecord, 'id'>): Promise<UserRecord> {
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
      return { id, ...user }
    } catch (error) {
      if (isUniqueViolation(error))
        throw new AlreadyExistsError('a user with this e-mail address exists', { cause: error })
      throw error
    }
  }

  async get(id: number): Promise<UserRecord | undefined> {
    const row = await this.getRow(id)
    return row && toUser(row)
  }

  async findByEmailKey(companyId: number, emailKey: string): Promise<UserRecord | undefined> {
    const row = (await this.rows.where({ email_key: emailKey, company_id: companyId }).select())[0]
    return row && toUser(row)
  }

  async listByEmailKey(emailKey: string): Promise<readonly UserRecord[]> {
    return (await this.rows.where('email_key', emailKey).orderBy('id').select()).map(toUser)
  }

  async list(filter: Filter = {}, page?: RowPage): Promise<readonly UserRecord[]> {
    return (await this.pageOf(() => this.#listed(filter), page)).map(toUser)
  }

  async listIds(filter: Filter, page: Page): Promise<readonly number[]> {
    return await this.idsOf(this.#listed(filter), page)
  }

  async count(companyId: number): Promise<number> {
    return await this.countOf(this.#listed({ companyId }))
  }

  async update(id: number, changes: Partial<Pick<UserRecord, 'passwordHash' | 'lastAccess'>>): Promise<boolean> {
    const { passwordHash, lastAccess } = changes
    return await this.updateRow(id, {
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      ...(lastAccess !== undefined && { last_access: lastAccess }),
    })
  }

  #listed({ companyId }: Filter): KnexRepository['rows'] {
    return companyId === undefined ? this.rows : this.rows.where('company_id', companyId)
  }
}

function toRole(row: Row): RoleRecord {
  return {
    id: number(row, 'id'),
    companyId: numberOrNull(row, 'company_id'),
    name: text(row, 'name'),
    applications: texts(row, 'applications'),
    capabilities: texts(row, 'capabilities'),
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
  }
}
