import type { RowPage } from '../../kernel/lists.js'
import type { MailPurpose } from '../mailer.js'
import type { Page } from './document-records.js'

/** A company as stored. The root has no parent. */
export interface CompanyRecord {
  readonly id: number
  readonly name: string
  readonly parentId: number | null
  /** ISO 8601, UTC. */
  readonly created: string
  readonly isDisabled: boolean
}

/** Selects a company and all companies below it; none if there is a cycle above it. Default: all companies. */
export interface WithinFilter {
  readonly withinCompanyId?: number
}

/**
 * Companies. As in all repositories of this file, lists are ordered by id, and reading a missing id returns
 * `undefined`.
 *
 * Deleted companies, accounts and users leave rows with only ids and times, because other rows and the audit trail
 * refer to them. No method returns, counts or changes such a row, unless its description says so.
 */
export interface CompanyRepository {
  /** Adds an enabled company. */
  insert(company: Omit<CompanyRecord, 'id' | 'isDisabled'>): Promise<CompanyRecord>
  get(id: number): Promise<CompanyRecord | undefined>
  /**
   * Lists all companies, the root first, or those `withinCompanyId`: that company and those below it.
   *
   * @param page default: all of them
   */
  list(filter?: WithinFilter, page?: RowPage): Promise<readonly CompanyRecord[]>
  /** As {@link list}, ids only. */
  listIds(filter: WithinFilter, page: Page): Promise<readonly number[]>
  /**
   * Checks whether the company `id` is `ancestorId` or lies below it.
   *
   * @returns true if it is; false if one of the companies does not exist, or if the path to the root has a cycle
   */
  isWithin(id: number, ancestorId: number): Promise<boolean>
  /** @returns those of these ids for which {@link isWithin} is true; reads the tree once */
  within(ids: readonly number[], ancestorId: number): Promise<ReadonlySet<number>>
  /** Moves a company to another parent. The caller has checked that this makes no cycle. */
  setParent(id: number, parentId: number): Promise<void>
  /** Enables or disables a company. @returns true if the company exists */
  setDisabled(id: number, isDisabled: boolean): Promise<boolean>
  /**
   * Deletes a company, and erases its name. The caller has checked that no company is below it.
   *
   * @param deleted the time of the deletion
   * @returns true if the company existed
   */
  remove(id: number, deleted: string): Promise<boolean>
  /** @returns true if the company was deleted */
  isDeleted(id: number): Promise<boolean>
}

/** A region, in which accounts live. */
export interface RegionRecord {
  readonly id: number
  readonly name: string
}

/** Regions. */
export interface RegionRepository {
  /** @returns the region with this name; creates it if there is none */
  ensure(name: string): Promise<RegionRecord>
  list(): Promise<readonly RegionRecord[]>
}

/** An application's account in a region, owned by a company. */
export interface AccountRecord {
  readonly id: number
  readonly companyId: number
  /** Key of the application: `assistant` or `tenant`. */
  readonly application: string
  readonly regionId: number
  readonly name: string
  readonly isActive: boolean
  readonly created: string
}

/** Accounts of companies. */
export interface AccountRepository {
  insert(account: Omit<AccountRecord, 'id'>): Promise<AccountRecord>
  get(id: number): Promise<AccountRecord | undefined>
  list(filter?: { readonly companyId?: number }): Promise<readonly AccountRecord[]>
  /** Activates or deactivates an account. @returns true if the account exists */
  setActive(id: number, isActive: boolean): Promise<boolean>
  /** Deletes an account, and erases its name. @param deleted the time of the deletion @returns true if it existed */
  remove(id: number, deleted: string): Promise<boolean>
  /** Lists the ids of the accounts of a company, deleted or not. */
  listIds(companyId: number): Promise<readonly number[]>
}

/** A role: the capabilities of its holder on accounts of the role's applications. */
export interface RoleRecord {
  readonly id: number
  /** Id of the company that it belongs to; null for a system-wide role. */
  readonly companyId: number | null
  readonly name: string
  readonly applications: readonly string[]
  readonly capabilities: readonly string[]
  /** A disabled role grants nothing. */
  readonly isDisabled: boolean
}

/** Roles. */
export interface RoleRepository {
  /** Adds an enabled role. */
  insert(role: Omit<RoleRecord, 'id' | 'isDisabled'>): Promise<RoleRecord>
  get(id: number): Promise<RoleRecord | undefined>
  /**
   * Lists all roles, or system-wide ones with those of some companies: of the company `usableBy` alone, or of all
   * companies `withinCompanyId`, as {@link WithinFilter} says.
   */
  list(filter?: { readonly usableBy: number } | { readonly withinCompanyId: number }): Promise<readonly RoleRecord[]>
  /** Enables or disables a role. @returns true if the role exists */
  setDisabled(id: number, isDisabled: boolean): Promise<boolean>
  /** Removes a role. The caller has checked that no permission has it. @returns true if the role existed */
  delete(id: number): Promise<boolean>
  /** Removes the roles of a company. The caller has checked that no permission has one of them. */
  deleteOfCompany(companyId: number): Promise<void>
}

/** A user as stored. */
export interface UserRecord {
  readonly id: number
  readonly companyId: number
  /** The address as entered; empty for a user without one. */
  readonly email: string
  /** The address in the form in which addresses are compared; unique within the company. */
  readonly emailKey: string
  /** The id that the host's login gives the user; unique within the company. Null for none. */
  readonly externalId: string | null
  readonly firstName: string
  readonly lastName: string
  readonly name: string
  readonly created: string
  /** Time of the latest token or successful password check; null before the first one. */
  readonly lastAccess: string | null
  /** The result of `PasswordHasher.hash`; null until the user has completed the setup. */
  readonly passwordHash: string | null
  readonly isDisabled: boolean
}

/** Selects one user, or all users of a company. */
export type UsersFilter = { readonly userId: number } | { readonly companyId: number }

/** Members of a user that change. */
export type UserChanges = Partial<Omit<UserRecord, 'id' | 'companyId' | 'created'>>

/** Users. */
export interface UserRepository {
  /**
   * Adds an enabled user.
   * @throws AlreadyExistsError if another user of the company has this `emailKey` or this `externalId`
   */
  insert(user: Omit<UserRecord, 'id' | 'isDisabled'>): Promise<UserRecord>
  get(id: number): Promise<UserRecord | undefined>
  /** @returns the id and the company of a user that was deleted; `undefined` for every other id */
  getDeleted(id: number): Promise<Pick<UserRecord, 'id' | 'companyId'> | undefined>
  /** @returns the company's user with this `emailKey`; `undefined` if there is none */
  findByEmailKey(companyId: number, emailKey: string): Promise<UserRecord | undefined>
  /** Lists the users with this `emailKey` of all companies: at most one of each company. */
  listByEmailKey(emailKey: string): Promise<readonly UserRecord[]>
  /** @returns the company's user with this external id, compared exactly; `undefined` if there is none */
  findByExternalId(companyId: number, externalId: string): Promise<UserRecord | undefined>
  /** Lists the users with this external id of all companies: at most one of each company. */
  listByExternalId(externalId: string): Promise<readonly UserRecord[]>
  /** Lists users, of all companies or of one. @param page default: all of them */
  list(filter?: { readonly companyId?: number }, page?: RowPage): Promise<readonly UserRecord[]>
  /** As {@link list}, ids only. */
  listIds(filter: { readonly companyId?: number }, page: Page): Promise<readonly number[]>
  /** Counts the users of a company. */
  count(companyId: number): Promise<number>
  /**
   * Changes the given members.
   *
   * @returns true if the user exists
   * @throws AlreadyExistsError as {@link insert}
   */
  update(id: number, changes: UserChanges): Promise<boolean>
  /**
   * Deletes users, and erases their personal data: addresses, external ids, names, password hashes and times of access.
   * New users can use the addresses and the external ids. The caller removes the users' permissions, keys, tokens and
   * mails.
   *
   * @param deleted the time of the deletion
   */
  erase(of: UsersFilter, deleted: string): Promise<void>
}

/** A permission: a user's role on an account. There is at most one for each user and account. */
export interface PermissionRecord {
  readonly id: number
  readonly userId: number
  readonly accountId: number
  readonly roleId: number
  readonly isDisabled: boolean
  readonly created: string
  /** Text of a JSON object with the creator's `id` and `email`. */
  readonly createdBy: string
  readonly lastAccess: string | null
}

/** A permission with the records that it refers to, for lists. */
export interface PermissionDetails
  extends Pick<PermissionRecord, 'id' | 'userId' | 'isDisabled' | 'created' | 'lastAccess'> {
  readonly role: Pick<RoleRecord, 'id' | 'name'>
  readonly account: Pick<AccountRecord, 'id' | 'name' | 'companyId' | 'application' | 'isActive'>
  readonly region: RegionRecord
}

/** A permission on an account of another company than the user's. */
export interface PermissionAbroad extends Pick<PermissionRecord, 'id' | 'userId' | 'accountId' | 'roleId'> {
  /** Id of the account's company. */
  readonly companyId: number
}

/** All facts that decide whether a user may act on an account. */
export interface AccessRecord {
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'email' | 'isDisabled'> & WithCompanyState
  readonly account: Pick<AccountRecord, 'id' | 'companyId' | 'application' | 'isActive'> & WithCompanyState
  readonly permission: Pick<PermissionRecord, 'id' | 'isDisabled'>
  readonly role: Pick<RoleRecord, 'applications' | 'capabilities' | 'isDisabled'>
}

interface WithCompanyState {
  /** True if the company that it belongs to is disabled. */
  readonly isCompanyDisabled: boolean
}

/** Permissions. */
export interface PermissionRepository {
  /** Adds a permission. @throws AlreadyExistsError if the user has a permission on the account */
  insert(permission: Omit<PermissionRecord, 'id'>): Promise<PermissionRecord>
  get(id: number): Promise<PermissionRecord | undefined>
  /** Lists the permissions that match all given ids. */
  list(filter?: {
    readonly userId?: number
    readonly accountId?: number
    readonly roleId?: number
  }): Promise<readonly PermissionRecord[]>
  /** Lists the permissions of any number of users with the records that they refer to; those of one user by id. */
  listDetails(userIds: readonly number[]): Promise<readonly PermissionDetails[]>
  /** Changes the role. @returns true if the permission exists */
  setRole(id: number, roleId: number): Promise<boolean>
  /**
   * Inverts `isDisabled` in one statement, so that two concurrent calls cancel each other.
   *
   * @returns true if it exists
   */
  toggle(id: number): Promise<boolean>
  /** Removes a permission. @returns true if it existed */
  delete(id: number): Promise<boolean>
  /** Lists permissions of a company's users on accounts of other companies, with the company of each account. */
  listAbroad(companyId: number, page: Page): Promise<readonly PermissionAbroad[]>
  /** Removes all permissions on accounts of a company, and all permissions of its users on any account. */
  deleteOfCompany(companyId: number): Promise<void>
  /** Removes the addresses of these users, deleted or not, from `createdBy` of all permissions. Their ids stay. */
  eraseCreators(of: UsersFilter): Promise<void>
  /** Reads the facts that decide about a user's access to an account. @returns `undefined` without a permission */
  findAccess(userId: number, accountId: number): Promise<AccessRecord | undefined>
  /**
   * As {@link findAccess}, for all accounts of an application on which the user has a permission; ordered by account
   * id.
   */
  listAccess(userId: number, application: string): Promise<readonly AccessRecord[]>
  /** As {@link findAccess}, for all users of a company's accounts of an application; ordered by permission id. */
  listAccessOfCompany(companyId: number, application: string): Promise<readonly AccessRecord[]>
  /** Stores the time of the latest request under a permission. Does nothing if the permission is missing. */
  touch(id: number, lastAccess: string): Promise<void>
}

/** The contexts of an account that a principal sees: `user` for its user's own and shared ones, `account` for all. */
export type Sight = 'user' | 'account'

/** An API key. Only the hash of its secret is stored. */
export interface ApiKeyRecord {
  readonly id: number
  readonly clientId: string
  /** Lower-case hex SHA-256 of the secret. */
  readonly secretHash: string
  readonly companyId: number
  readonly userId: number
  /** Allowed values of `target_app` in token requests. */
  readonly targets: readonly string[]
  /** The contexts that its tokens see: all of the account, or the user's own and shared ones. */
  readonly sight: Sight
  readonly created: string
  readonly expires: string | null
  readonly lastUsed: string | null
  readonly revoked: string | null
}

/** Selects API keys: those that act for a user, and those of the companies of a {@link WithinFilter}. */
export interface ApiKeyFilter extends WithinFilter {
  readonly userId?: number
}

/** API keys. */
export interface ApiKeyRepository {
  /** Adds a key. @throws AlreadyExistsError if another key has this `clientId` */
  insert(key: Omit<ApiKeyRecord, 'id'>): Promise<ApiKeyRecord>
  get(id: number): Promise<ApiKeyRecord | undefined>
  findByClientId(clientId: string): Promise<ApiKeyRecord | undefined>
  /** Lists the keys that match all given ids. @param page default: all of them */
  list(filter?: ApiKeyFilter, page?: RowPage): Promise<readonly ApiKeyRecord[]>
  /** As {@link list}, ids only. */
  listIds(filter: ApiKeyFilter, page: Page): Promise<readonly number[]>
  /** Counts a company's keys that are neither revoked nor expired. @param now ISO 8601 in UTC, with milliseconds */
  countUsable(companyId: number, now: string): Promise<number>
  /** Sets `revoked` if it is null. @returns true if the key exists */
  revoke(id: number, revoked: string): Promise<boolean>
  /** Lists keys of other companies that act for users of a company and are not revoked. */
  listAbroad(companyId: number, page: Page): Promise<readonly ApiKeyRecord[]>
  /**
   * Removes the keys that act for a user. For a company: its own keys, and keys of any company that act for its users.
   */
  deleteOf(of: UsersFilter): Promise<void>
  /** Stores the time of the latest token. Does nothing if the key is missing. */
  touch(id: number, lastUsed: string): Promise<void>
}

/** A token that sets a password once. Only its hash is stored. */
export interface PasswordTokenRecord {
  readonly userId: number
  /** Lower-case hex SHA-256 of the token. */
  readonly tokenHash: string
  /** ISO 8601. */
  readonly expires: string
}

/** Tokens that set a password once. */
export interface PasswordTokenRepository {
  insert(token: PasswordTokenRecord): Promise<void>
  find(tokenHash: string): Promise<PasswordTokenRecord | undefined>
  /** Removes a token. @returns true if it existed; of two concurrent callers, only one gets true */
  remove(tokenHash: string): Promise<boolean>
  /** Counts the tokens of a user that expire after `now`. @param now ISO 8601 */
  countOfUser(userId: number, now: string): Promise<number>
  /** Removes all tokens of a user. */
  removeOfUser(userId: number): Promise<void>
  /** As {@link removeOfUser}, for all users of a company. */
  removeOfCompany(companyId: number): Promise<void>
  /** Removes tokens that expired before `now`. @param now ISO 8601 */
  removeExpired(now: string): Promise<void>
}

/** A mail that waits to be sent. The engine makes its link when it sends the mail, so no secret is stored. */
export interface MailRecord {
  readonly id: number
  readonly userId: number
  readonly purpose: MailPurpose
  /** The destination that the mail is about; null for every other mail. */
  readonly destinationId: number | null
  readonly created: string
}

/** A new mail. `destinationId` is null by default. */
export type NewMailRecord = Omit<MailRecord, 'id' | 'destinationId'> & Partial<Pick<MailRecord, 'destinationId'>>

/** Mails that wait to be sent. */
export interface MailRepository {
  insert(mail: NewMailRecord): Promise<MailRecord>
  get(id: number): Promise<MailRecord | undefined>
  /** Counts the mails that wait for a user. @param purposes only mails with these purposes. Default: all mails */
  countOfUser(userId: number, purposes?: readonly MailPurpose[]): Promise<number>
  /** Removes the mails that wait for users. @returns the ids of the removed mails; each of them has a job to cancel */
  removeOf(of: UsersFilter): Promise<readonly number[]>
  /** Removes a mail. Does nothing if it is missing. */
  remove(id: number): Promise<void>
}
