import { recordChange } from '../audit/index.js'
import type { EngineLimits } from '../kernel/limits.js'
import { parseId } from '../kernel/validate.js'
import type { Clock, Storage, TokenSigner } from '../ports/index.js'
import type { Actor } from './access/authorizer.js'
import { type NewPermission, Permissions } from './access/permissions.js'
import type { Reach } from './access/reach.js'
import { type NewRole, Roles } from './access/roles.js'
import { Accounts, type ContextRemoval, type NewAccount } from './accounts.js'
import { Companies, type NewCompany } from './companies.js'
import { readOwner } from './initialize.js'
import type { Account, ApiKey, Company, Permission, Role, User } from './records.js'
import { ApiKeys, type ApiKeyWithSecret, type NewApiKey } from './tokens/api-keys.js'
import type { EnsuredUser, EnsureUser, EnsureUserInput } from './users/ensure-user.js'
import { FindUsers, type UserQuery } from './users/find-users.js'
import type { NewUser } from './users/identity.js'
import { type OneTimePasswordOperations, UserOneTimePasswords } from './users/one-time-passwords.js'
import type { PasswordCheck } from './users/password-input.js'
import type { Passwords } from './users/passwords.js'
import type { OtpSecrets } from './users/second-factor.js'
import type { UserPrincipal } from './users/user-principals.js'
import type { DeleteUserOptions, Users } from './users/users.js'

/**
 * The host's operations on companies, accounts, roles, users, permissions and API keys. The engine does not check
 * rights here: the host may do everything. Lists are ordered by id.
 */
export class Administration {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #signer: TokenSigner
  readonly #reach: Reach
  readonly #companies: Companies
  readonly #accounts: Accounts
  readonly #roles: Roles
  readonly #users: Users
  readonly #findUsers: FindUsers
  readonly #ensureUser: EnsureUser
  readonly #passwords: Passwords
  readonly #oneTimePasswords: UserOneTimePasswords
  readonly #userPermissions: Permissions
  readonly #apiKeys: ApiKeys

  /** @param reach the host's own */
  constructor(
    storage: Storage,
    clock: Clock,
    users: Users,
    passwords: Passwords,
    signer: TokenSigner,
    reach: Reach,
    otpSecrets: OtpSecrets,
    limits: EngineLimits,
    contexts: ContextRemoval,
    ensureUser: EnsureUser,
  ) {
    this.#storage = storage
    this.#clock = clock
    this.#signer = signer
    this.#reach = reach
    this.#companies = new Companies(storage, clock)
    this.#accounts = new Accounts(storage, clock, contexts)
    this.#roles = new Roles(storage, clock)
    this.#users = users
    this.#findUsers = new FindUsers(storage)
    this.#ensureUser = ensureUser
    this.#passwords = passwords
    this.#oneTimePasswords = new UserOneTimePasswords(storage, clock, otpSecrets)
    this.#userPermissions = new Permissions(storage, clock)
    this.#apiKeys = new ApiKeys(storage, clock, limits)
  }

  readonly companies: {
    create(company: NewCompany): Promise<Company>
    list(): Promise<Company[]>
    /** Puts a company under another parent. A move that would make a cycle is refused. */
    move(id: number, parentId: number): Promise<Company>
    /**
     * Makes the engine refuse at once every principal that acts for the company, belongs to it, or acts on one of its
     * accounts. The root cannot be disabled.
     */
    disable(id: number): Promise<Company>
    enable(id: number): Promise<Company>
    /**
     * Deletes a company with its accounts, contexts and documents, users, keys, roles, destinations and events. All of
     * it is inaccessible when the promise resolves; jobs remove large data after that.
     * @throws InUseError for the root, and for a company that has companies below it
     */
    delete(id: number): Promise<void>
  } = {
    create: async (company) => await this.#companies.create(company, this.#reach),
    list: async () => await this.#companies.listAll(),
    move: async (id, parentId) => await this.#companies.move(id, parentId, this.#reach),
    disable: async (id) => await this.#companies.setDisabled(id, true, this.#reach),
    enable: async (id) => await this.#companies.setDisabled(id, false, this.#reach),
    delete: async (id) => {
      await this.#companies.delete(id, this.#reach)
    },
  }

  readonly accounts: {
    create(account: NewAccount): Promise<Account>
    list(): Promise<Account[]>
    /** The engine refuses every principal of a disabled account at once. */
    setActive(id: number, active: boolean): Promise<Account>
    /** Deletes an account with its contexts, their documents, and all permissions on it. */
    delete(id: number): Promise<void>
  } = {
    create: async (account) => await this.#accounts.create(account, this.#reach),
    list: async () => await this.#accounts.list(),
    setActive: async (id, active) => await this.#accounts.setActive(id, active, this.#reach),
    delete: async (id) => {
      await this.#accounts.delete(id, this.#reach)
    },
  }

  readonly roles: {
    create(role: NewRole): Promise<Role>
    list(): Promise<Role[]>
    /** A disabled role gives its users no access, from now on, and cannot be granted. */
    disable(id: number): Promise<Role>
    enable(id: number): Promise<Role>
    /** @throws InUseError if a permission has the role, and for the roles that every installation has */
    delete(id: number): Promise<void>
  } = {
    create: async (role) => await this.#roles.create(role, this.#reach),
    list: async () => await this.#roles.listAll(),
    disable: async (id) => await this.#roles.setDisabled(id, true, this.#reach),
    enable: async (id) => await this.#roles.setDisabled(id, false, this.#reach),
    delete: async (id) => {
      await this.#roles.delete(id, this.#reach)
    },
  }

  readonly users: {
    /** Adds a user. Sends an invitation by mail, unless `invite` is false. */
    add(user: Omit<NewUser, 'customerId'> & { readonly companyId: number }): Promise<User>
    list(): Promise<User[]>
    /** @throws NotFoundError `ERR_USER_NOT_FOUND` */
    get(id: number): Promise<User>
    /**
     * Finds a user by exactly one of `id`, `email` and `externalId`.
     *
     * @returns `undefined` if there is none
     * @throws CompanyRequiredError if several companies have such a user: name the `companyId`
     */
    find(query: UserQuery): Promise<User | undefined>
    /**
     * Lists the accounts on which a user may act now, each with the principal for it, in the order of their ids.
     * @throws NotFoundError `ERR_USER_NOT_FOUND`
     */
    principals(id: number): Promise<UserPrincipal[]>
    /**
     * Completes a setup without an invitation. Without `password`, a user who has none gets a random password that
     * nobody knows. A user whose password changes is notified by mail.
     * @throws InvalidInputError if the password breaks a rule
     */
    completeSetup(id: number, password?: string): Promise<User>
    /** Refuses the user at once: tokens, keys, logins, links and mails. The owner cannot be disabled. */
    disable(id: number): Promise<User>
    enable(id: number): Promise<User>
    /** Erases a user's personal data, with all rights, keys, links and waiting mails. The owner cannot be deleted. */
    delete(id: number, options?: DeleteUserOptions): Promise<void>
    /** The second factor of {@link verifyPassword}. */
    readonly oneTimePassword: OneTimePasswordOperations
  } = {
    add: async ({ companyId, ...user }) => {
      return await this.#users.add(user, parseId(companyId, 'companyId'), await this.#owner(), this.#reach)
    },
    list: async () => await this.#users.listAll(),
    get: async (id) => await this.#findUsers.get(id),
    find: async (query) => await this.#findUsers.find(query),
    principals: async (id) => await this.#findUsers.principals(id),
    completeSetup: async (id, password) => await this.#passwords.completeSetup(id, password, this.#reach),
    disable: async (id) => await this.#users.setDisabled(id, true, this.#reach),
    enable: async (id) => await this.#users.setDisabled(id, false, this.#reach),
    delete: async (id, options) => {
      await this.#users.delete(id, this.#reach, options)
    },
    oneTimePassword: {
      begin: async (id, label) => await this.#oneTimePasswords.begin(id, label, this.#reach),
      confirm: async (id, code) => await this.#oneTimePasswords.confirm(id, code, this.#reach),
      renewRecoveryCodes: async (id) => await this.#oneTimePasswords.renewRecoveryCodes(id, this.#reach),
      disable: async (id) => await this.#oneTimePasswords.disable(id, this.#reach),
    },
  }

  /**
   * Makes sure that the user of a host's own login exists, is named as the login names it, and has the wanted roles.
   * Call it for each request: it costs one read if nothing changes. Concurrent calls add one user.
   *
   * A user who is disabled stays disabled: the engine refuses its principal. A user who was deleted is added again, so
   * disable the users whose login still works.
   *
   * @returns the user, and its principal for `engine.as`
   * @throws InvalidInputError
   * @throws NotFoundError `ERR_COMPANY_NOT_FOUND`
   * @throws AlreadyExistsError if another user of the company has the address: see `linkByEmail`
   * @throws LimitReachedError if the company has reached the limit `usersPerCompany`
   * @throws ThrottledError if an invitation would exceed a limit of mails; nothing is created then
   */
  async ensureUser(user: EnsureUserInput): Promise<EnsuredUser> {
    return await this.#ensureUser.execute(user, async () => await this.#owner(), this.#reach)
  }

  /**
   * The user with that address and password, or `undefined`: for a host with its own login.
   *
   * A user belongs to one company. Several companies may each have a user with the same address, so a host that knows
   * the company of a login passes it.
   *
   * @param check
   *   - `companyId`: the company whose user logs in. Without it, the password is compared with those of the first
   *     eight users that have this address and a password.
   *   - `remoteAddress`: the client's network address. Wrong passwords are then counted for the address too.
   *   - `otp`: the one-time password or the recovery code that the user entered.
   * @throws CompanyRequiredError if `companyId` is missing, and users of several companies have this address and
   *   password
   * @throws OneTimePasswordRequiredError if the password is right, the user has one-time passwords, and `otp` is
   *   missing: ask the user for it, and repeat the call with both
   * @throws ThrottledError after too many wrong passwords within a minute, even if this password is right. Also, for a
   *   right password, after 5 wrong one-time passwords of the user within 15 minutes, or 20 within a day
   * @throws SecretUnreadableError if the password is right, and the secret of the user's one-time passwords was altered
   */
  async verifyPassword(email: string, password: string, check: PasswordCheck = {}): Promise<User | undefined> {
    return await this.#passwords.verify(email, password, check)
  }

  /** Creates a new key that signs access tokens. Tokens signed with the previous key stay valid for 900 s. */
  async rotateSigningKey(): Promise<{ readonly kid: string }> {
    const now = this.#clock.now()
    const rotated = await this.#signer.rotate(now)
    await this.#storage.transaction(async (repositories) => {
      await recordChange(repositories, this.#reach.by, now, {
        action: 'signing-key.rotated',
        companyId: null,
        targetId: null,
        details: {},
      })
    })
    return rotated
  }

  readonly permissions: {
    grant(permission: NewPermission): Promise<Permission>
    list(): Promise<Permission[]>
    /** Flips `disabled`. */
    toggle(id: number): Promise<Permission>
    revoke(id: number): Promise<void>
  } = {
    grant: async (permission) => await this.#userPermissions.grant(permission, await this.#owner(), this.#reach),
    list: async () => await this.#userPermissions.list(),
    toggle: async (id) => await this.#userPermissions.toggle(id, this.#reach),
    revoke: async (id) => {
      await this.#userPermissions.revoke(id, this.#reach)
    },
  }

  readonly apiKeys: {
    /** The answer is the only one that contains the secret. */
    create(key: NewApiKey): Promise<ApiKeyWithSecret>
    list(): Promise<ApiKey[]>
    revoke(id: number): Promise<ApiKey>
  } = {
    create: async (key) => await this.#apiKeys.create(key, this.#reach),
    list: async () => await this.#apiKeys.listAll(),
    revoke: async (id) => await this.#apiKeys.revoke(id, this.#reach),
  }

  /** The owner, recorded as the creator of the permissions that the host grants. */
  async #owner(): Promise<Actor> {
    return await this.#storage.read(async (repositories) => {
      const owner = await readOwner(repositories)
      const user = owner && (await repositories.users.get(owner.userId))
      return { id: user?.id ?? 0, email: user?.email ?? '' }
    })
  }
}
