import type { Clock, Storage } from '../ports/index.js'
import { NotFoundError } from '../shared/errors.js'
import { idSchema, validate } from '../shared/validate.js'
import { type Actor, AddUser, type NewUser } from './add-user.js'
import { CreateAccount, type NewAccount } from './create-account.js'
import { type ApiKeyWithSecret, CreateApiKey, type NewApiKey } from './create-api-key.js'
import { CreateCompany, type NewCompany } from './create-company.js'
import { CreateRole, type NewRole } from './create-role.js'
import { GrantPermission, type NewPermission } from './grant-permission.js'
import { MoveCompany } from './move-company.js'
import {
  type Account,
  type ApiKey,
  type Company,
  type Permission,
  type Role,
  toAccount,
  toApiKey,
  toCompany,
  toPermission,
  toRole,
  toUser,
  type User,
} from './records.js'

/**
 * The host's own hand: companies, accounts, roles, users, permissions and API
 * keys, without any check of who asks. Lists are ordered by id.
 */
export class Administration {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #owner: () => Promise<Actor>

  /** @param owner who is recorded as creator */
  constructor(storage: Storage, clock: Clock, owner: () => Promise<Actor>) {
    this.#storage = storage
    this.#clock = clock
    this.#owner = owner
  }

  readonly companies: {
    create(company: NewCompany): Promise<Company>
    list(): Promise<Company[]>
    /** Puts a company under another parent; never makes a cycle. */
    move(id: number, parentId: number): Promise<Company>
  } = {
    create: async (company) => await new CreateCompany(this.#storage, this.#clock).execute(company),
    list: async () => (await this.#storage.read(({ companies }) => companies.list())).map(toCompany),
    move: async (id, parentId) => await new MoveCompany(this.#storage).execute(id, parentId),
  }

  readonly accounts: {
    create(account: NewAccount): Promise<Account>
    list(): Promise<Account[]>
    /** A disabled account refuses everybody at once. */
    setActive(id: number, active: boolean): Promise<Account>
  } = {
    create: async (account) => await new CreateAccount(this.#storage, this.#clock).execute(account),
    list: async () => await this.#listAccounts(),
    setActive: async (id, active) => {
      const accountId = validate(idSchema(), id, 'id')
      const isKnown = await this.#storage.transaction(({ accounts }) => accounts.setActive(accountId, active))
      if (!isKnown) throw new NotFoundError('account', accountId)
      return firstOf(await this.#listAccounts(), accountId, 'account')
    },
  }

  readonly roles: { create(role: NewRole): Promise<Role>; list(): Promise<Role[]> } = {
    create: async (role) => await new CreateRole(this.#storage).execute(role),
    list: async () => (await this.#storage.read(({ roles }) => roles.list())).map(toRole),
  }

  readonly users: { add(user: NewUser): Promise<User>; list(): Promise<User[]> } = {
    add: async (user) => await new AddUser(this.#storage, this.#clock).execute(user, await this.#owner()),
    list: async () => (await this.#storage.read(({ users }) => users.list())).map(toUser),
  }

  readonly permissions: {
    grant(permission: NewPermission): Promise<Permission>
    list(): Promise<Permission[]>
    /** Flips `disabled`. */
    toggle(id: number): Promise<Permission>
    revoke(id: number): Promise<void>
  } = {
    grant: async (permission) =>
      await new GrantPermission(this.#storage, this.#clock).execute(permission, await this.#owner()),
    list: async () => (await this.#storage.read(({ permissions }) => permissions.list())).map(toPermission),
    toggle: async (id) => {
      const permissionId = validate(idSchema(), id, 'id')
      return await this.#storage.transaction(async ({ permissions }) => {
        await permissions.toggle(permissionId)
        const toggled = await permissions.get(permissionId)
        if (toggled === undefined) throw new NotFoundError('permission', permissionId)
        return toPermission(toggled)
      })
    },
    revoke: async (id) => {
      const permissionId = validate(idSchema(), id, 'id')
      const existed = await this.#storage.transaction(({ permissions }) => permissions.delete(permissionId))
      if (!existed) throw new NotFoundError('permission', permissionId)
    },
  }

  readonly apiKeys: {
    /** The secret is in the answer, this once. */
    create(key: NewApiKey): Promise<ApiKeyWithSecret>
    list(): Promise<ApiKey[]>
    revoke(id: number): Promise<ApiKey>
  } = {
    create: async (key) => await new CreateApiKey(this.#storage, this.#clock).execute(key),
    list: async () => (await this.#storage.read(({ apiKeys }) => apiKeys.list())).map(toApiKey),
    revoke: async (id) => {
      const keyId = validate(idSchema(), id, 'id')
      return await this.#storage.transaction(async ({ apiKeys }) => {
        await apiKeys.revoke(keyId, this.#clock.now().toISOString())
        const revoked = await apiKeys.get(keyId)
        if (revoked === undefined) throw new NotFoundError('API key', keyId)
        return toApiKey(revoked)
      })
    },
  }

  async #listAccounts(): Promise<Account[]> {
    return await this.#storage.read(async ({ accounts, regions }) => {
      const names = new Map((await regions.list()).map(({ id, name }) => [id, name]))
      return (await accounts.list()).map((account) => toAccount(account, names.get(account.regionId) ?? ''))
    })
  }
}

function firstOf<T extends { readonly id: number }>(items: readonly T[], id: number, thing: 'account'): T {
  const found = items.find((item) => item.id === id)
  if (found === undefined) throw new NotFoundError(thing, id)
  return found
}
