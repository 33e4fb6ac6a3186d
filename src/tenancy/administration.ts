import { recordChange } from '../audit/index.js'
import { NotFoundError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import { parseId } from '../kernel/validate.js'
import type { Clock, Storage, TokenSigner } from '../ports/index.js'
import type { Actor } from './access/authorizer.js'
import type { Reach } from './access/reach.js'
import { CreateAccount, DeleteAccount, type NewAccount } from './companies/accounts.js'
import { CreateCompany, DeleteCompany, DisableCompany, MoveCompany, type NewCompany } from './companies/companies.js'
import type { ContextRemoval } from './context-removal.js'
import { readOwner } from './initialize.js'
import {
  BeginOneTimePassword,
  ConfirmOneTimePassword,
  DisableOneTimePassword,
  type OneTimePasswordOperations,
  RenewRecoveryCodes,
} from './one-time-passwords/one-time-passwords.js'
import type { OtpSecrets } from './one-time-passwords/otp-secrets.js'
import { otpMethods } from './one-time-passwords/second-factor.js'
import { GrantPermission, ManagePermissions, type NewPermission } from './permissions/permissions.js'
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
import { CreateRole, ManageRoles, type NewRole } from './roles/roles.js'
import { type ApiKeyWithSecret, CreateApiKey, type NewApiKey } from './tokens/api-keys.js'
import type { AddUser, NewUser } from './users/add-user.js'
import type { PasswordCheck, Passwords } from './users/passwords.js'
import { DeleteUser, type DeleteUserOptions, DisableUser } from './users/users.js'

/**
 * The host's own hand: companies, accounts, roles, users, permissions and API
 * keys, without any check of who asks. Lists are ordered by id.
 */
export class Administration {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #addUser: AddUser
  readonly #passwords: Passwords
  readonly #signer: TokenSigner
  readonly #otpSecrets: OtpSecrets
  readonly #managePermissions: ManagePermissions
  readonly #reach: Reach
  readonly #limits: EngineLimits
  readonly #contexts: ContextRemoval

  /** @param reach the host's own */
  constructor(
    storage: Storage,
    clock: Clock,
    addUser: AddUser,
    passwords: Passwords,
    signer: TokenSigner,
    reach: Reach,
    otpSecrets: OtpSecrets,
    limits: EngineLimits,
    contexts: ContextRemoval,
  ) {
    this.#otpSecrets = otpSecrets
    this.#limits = limits
    this.#reach = reach
    this.#contexts = contexts
    this.#storage = storage
    this.#clock = clock
    this.#addUser = addUser
    this.#passwords = passwords
    this.#signer = signer
    this.#managePermissions = new ManagePermissions(storage, clock)
  }

  readonly companies: {
    create(company: NewCompany): Promise<Company>
    list(): Promise<Company[]>
    /** Puts a company under another parent; never makes a cycle. */
    move(id: number, parentId: number): Promise<Company>
    /** Refuses at once whoever acts for the company, belongs to it, or acts on its accounts. The root stays enabled. */
    disable(id: number): Promise<Company>
    enable(id: number): Promise<Company>
    /**
     * Deletes a company with its accounts, contexts and documents, users, keys, roles, destinations and events. Nobody
     * reaches anything of it once this resolves; large remains are cleared away after that.
     * @throws InUseError for the root, and where companies are below it
     */
    delete(id: number): Promise<void>
  } = {
    create: async (company) => await new CreateCompany(this.#storage, this.#clock).execute(company, this.#reach),
    list: async () => (await this.#storage.read(({ companies }) => companies.list())).map(toCompany),
    move: async (id, parentId) => await new MoveCompany(this.#storage, this.#clock).execute(id, parentId, this.#reach),
    disable: async (id) => await new DisableCompany(this.#storage, this.#clock).execute(id, true, this.#reach),
    enable: async (id) => await new DisableCompany(this.#storage, this.#clock).execute(id, false, this.#reach),
    delete: async (id) => {
      await new DeleteCompany(this.#storage, this.#clock).execute(id, this.#reach)
    },
  }

  readonly accounts: {
    create(account: NewAccount): Promise<Account>
    list(): Promise<Account[]>
    /** A disabled account refuses everybody at once. */
    setActive(id: number, active: boolean): Promise<Account>
    /** Deletes an account with its contexts, their documents, and all permissions on it. */
    delete(id: number): Promise<void>
  } = {
    create: async (account) => await new CreateAccount(this.#storage, this.#clock).execute(account, this.#reach),
    list: async () => await this.#listAccounts(),
    setActive: async (id, active) => {
      const accountId = parseId(id, 'id')
      await this.#storage.transaction(async (repositories) => {
        const account = await repositories.accounts.get(accountId)
        if (account === undefined) throw new NotFoundError('account', accountId)
        await repositories.accounts.setActive(accountId, active)
        await recordChange(repositories, this.#reach.by, this.#clock.now(), {
          action: active ? 'account.enabled' : 'account.disabled',
          companyId: account.companyId,
          targetId: accountId,
          details: {},
        })
      })
      return firstOf(await this.#listAccounts(), accountId, 'account')
    },
    delete: async (id) => {
      await new DeleteAccount(this.#storage, this.#clock, this.#contexts).execute(id, this.#reach)
    },
  }

  readonly roles: {
    create(role: NewRole): Promise<Role>
    list(): Promise<Role[]>
    /** A disabled role gives nothing to those who have it, at once, and cannot be granted. */
    disable(id: number): Promise<Role>
    enable(id: number): Promise<Role>
    /** @throws InUseError where a permission has it, and for the roles that every installation has */
    delete(id: number): Promise<void>
  } = {
    create: async (role) => await new CreateRole(this.#storage, this.#clock).execute(role, this.#reach),
    list: async () => (await this.#storage.read(({ roles }) => roles.list())).map(toRole),
    disable: async (id) => await new ManageRoles(this.#storage, this.#clock).setDisabled(id, true, this.#reach),
    enable: async (id) => await new ManageRoles(this.#storage, this.#clock).setDisabled(id, false, this.#reach),
    delete: async (id) => {
      await new ManageRoles(this.#storage, this.#clock).delete(id, this.#reach)
    },
  }

  readonly users: {
    /** Invites them by mail. */
    add(user: Omit<NewUser, 'customerId'> & { readonly companyId: number }): Promise<User>
    list(): Promise<User[]>
    /**
     * Completes a setup without an invitation; without a password, with one that nobody knows. A user who had another
     * password is told by mail.
     * @throws InvalidInputError where the password breaks a rule
     */
    completeSetup(id: number, password?: string): Promise<User>
    /** Refuses the user at once: tokens, keys, logins, links and mails. The owner stays enabled. */
    disable(id: number): Promise<User>
    enable(id: number): Promise<User>
    /** Erases what is known of a user, with all rights, keys, links and waiting mails. The owner stays. */
    delete(id: number, options?: DeleteUserOptions): Promise<void>
    /** The second factor of {@link verifyPassword}. */
    readonly oneTimePassword: OneTimePasswordOperations
  } = {
    add: async ({ companyId, ...user }) => {
      return await this.#addUser.execute(user, parseId(companyId, 'companyId'), await this.#owner(), this.#reach)
    },
    list: async () =>
      await this.#storage.read(async (repositories) => {
        const otpMethod = await otpMethods(repositories)
        return (await repositories.users.list()).map((user) => toUser(user, otpMethod(user.id)))
      }),
    completeSetup: async (id, password) => await this.#passwords.completeSetup(id, password, this.#reach),
    disable: async (id) => await new DisableUser(this.#storage, this.#clock).execute(id, true, this.#reach),
    enable: async (id) => await new DisableUser(this.#storage, this.#clock).execute(id, false, this.#reach),
    delete: async (id, options) => {
      await new DeleteUser(this.#storage, this.#clock, this.#contexts).execute(id, this.#reach, options)
    },
    oneTimePassword: {
      begin: async (id, label) =>
        await new BeginOneTimePassword(this.#storage, this.#clock, this.#otpSecrets).execute(id, label, this.#reach),
      confirm: async (id, code) =>
        await new ConfirmOneTimePassword(this.#storage, this.#clock, this.#otpSecrets).execute(id, code, this.#reach),
      renewRecoveryCodes: async (id) =>
        await new RenewRecoveryCodes(this.#storage, this.#clock).execute(id, this.#reach),
      disable: async (id) => await new DisableOneTimePassword(this.#storage, this.#clock).execute(id, this.#reach),
    },
  }

  /**
   * For a host's own login: the user with that address and password, or `undefined`.
   *
   * An identity belongs to its company: the same address may be a user of several. A host that knows the company of a
   * login names it.
   *
   * @param check `companyId`: the company whose user logs in; without it, the first eight users with that address and a
   *   password are compared. `remoteAddress`: the network address of whoever logs in, so that wrong passwords are counted
   *   for it too. `otp`: the one-time password or the recovery code that the user has entered.
   * @throws CompanyRequiredError where no company is named, and users of several have this address and this password
   * @throws OneTimePasswordRequiredError where the password is right, the user has one-time passwords, and `otp` is
   *   missing: ask for it, and call again with both
   * @throws ThrottledError after too many wrong passwords within a minute, also for the right one; and after 5 wrong
   *   one-time passwords of the user within 15 minutes, or 20 within a day, where the password is right
   * @throws SecretUnreadableError where the password is right, and the secret of the user's one-time passwords was altered
   */
  async verifyPassword(email: string, password: string, check: PasswordCheck = {}): Promise<User | undefined> {
    return await this.#passwords.verify(email, password, check)
  }

  /** Makes a new key that signs access tokens; tokens of the one before stay valid for 900 s. */
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
    grant: async (permission) =>
      await new GrantPermission(this.#storage, this.#clock).execute(permission, await this.#owner(), this.#reach),
    list: async () => (await this.#storage.read(({ permissions }) => permissions.list())).map(toPermission),
    toggle: async (id) => await this.#managePermissions.toggle(id, this.#reach),
    revoke: async (id) => {
      await this.#managePermissions.delete(id, this.#reach)
    },
  }

  readonly apiKeys: {
    /** The secret is in the answer, this once. */
    create(key: NewApiKey): Promise<ApiKeyWithSecret>
    list(): Promise<ApiKey[]>
    revoke(id: number): Promise<ApiKey>
  } = {
    create: async (key) => await new CreateApiKey(this.#storage, this.#clock, this.#limits).execute(key, this.#reach),
    list: async () => (await this.#storage.read(({ apiKeys }) => apiKeys.list())).map(toApiKey),
    revoke: async (id) => {
      const keyId = parseId(id, 'id')
      return await this.#storage.transaction(async (repositories) => {
        const now = this.#clock.now()
        const { apiKeys } = repositories
        await apiKeys.revoke(keyId, now.toISOString())
        const revoked = await apiKeys.get(keyId)
        if (revoked === undefined) throw new NotFoundError('API key', keyId)
        const { companyId, userId } = revoked
        await recordChange(repositories, this.#reach.by, now, {
          action: 'api-key.revoked',
          companyId,
          targetId: keyId,
          details: { userId },
        })
        return toApiKey(revoked)
      })
    },
  }

  /** Who is recorded as creator of what the host makes. */
  async #owner(): Promise<Actor> {
    return await this.#storage.read(async (repositories) => {
      const owner = await readOwner(repositories)
      const user = owner && (await repositories.users.get(owner.userId))
      return { id: user?.id ?? 0, email: user?.email ?? '' }
    })
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
