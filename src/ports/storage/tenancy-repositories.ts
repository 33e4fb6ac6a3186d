import type { RowPage } from '../../kernel/lists.js'
import type { MailPurpose } from '../mailer.js'
import type { Page } from './document-records.js'
import type {
  AccessRecord,
  AccountRecord,
  ApiKeyRecord,
  CompanyRecord,
  MailRecord,
  PasswordTokenRecord,
  PermissionDetails,
  PermissionRecord,
  RegionRecord,
  RoleRecord,
  UserRecord,
} from './tenancy-records.js'

/** What a deletion is of: one user, or all users of a company. */
export type UsersFilter = { readonly userId: number } | { readonly companyId: number }

/**
 * Lists come ordered by id; a missing id reads as `undefined`.
 *
 * Companies, accounts and users that were deleted leave rows that hold ids and times alone, because other rows and the
 * audit trail refer to them. Nothing here gives such a row, finds it or changes it, unless a method says otherwise.
 */
export interface CompanyRepository {
  /** An enabled company. */
  insert(company: Omit<CompanyRecord, 'id' | 'isDisabled'>): Promise<CompanyRecord>
  get(id: number): Promise<CompanyRecord | undefined>
  /** All companies; the root first. */
  list(): Promise<readonly CompanyRecord[]>
  /**
   * Whether `id` is `ancestorId` or lies below it.
   *
   * - False where either does not exist.
   * - Ends, and says false, where rows form a cycle: for companies above it, within it and below it.
   */
  isWithin(id: number, ancestorId: number): Promise<boolean>
  /** Which of these ids are within `ancestorId`, as {@link isWithin} says, by one look at the tree. */
  within(ids: readonly number[], ancestorId: number): Promise<ReadonlySet<number>>
  /** Puts a company under another parent. The caller has made sure that no cycle comes of it. */
  setParent(id: number, parentId: number): Promise<void>
  /** @returns whether the company exists. */
  setDisabled(id: number, isDisabled: boolean): Promise<boolean>
  /** Deletes a company, and erases its name. The caller has made sure that none is below it. @returns whether it existed. */
  remove(id: number, deleted: string): Promise<boolean>
  /** Whether a company was deleted. */
  isDeleted(id: number): Promise<boolean>
}

export interface RegionRepository {
  /** The region of that name, made now if there is none. */
  ensure(name: string): Promise<RegionRecord>
  list(): Promise<readonly RegionRecord[]>
}

export interface AccountRepository {
  insert(account: Omit<AccountRecord, 'id'>): Promise<AccountRecord>
  get(id: number): Promise<AccountRecord | undefined>
  list(filter?: { readonly companyId?: number }): Promise<readonly AccountRecord[]>
  /** @returns whether the account exists. */
  setActive(id: number, isActive: boolean): Promise<boolean>
  /** Deletes an account, and erases its name. @returns whether it existed. */
  remove(id: number, deleted: string): Promise<boolean>
  /** Ids of the accounts of a company, deleted or not. */
  listIds(companyId: number): Promise<readonly number[]>
}

export interface RoleRepository {
  /** An enabled role. */
  insert(role: Omit<RoleRecord, 'id' | 'isDisabled'>): Promise<RoleRecord>
  get(id: number): Promise<RoleRecord | undefined>
  /** All roles, or those that accounts of a company may use: its own, and system-wide ones. */
  list(filter?: { readonly usableBy: number }): Promise<readonly RoleRecord[]>
  /** @returns whether the role exists. */
  setDisabled(id: number, isDisabled: boolean): Promise<boolean>
  /** Removes a role that no permission has. @returns whether it existed. */
  delete(id: number): Promise<boolean>
  /** Removes the roles that belong to a company, which no permission has. */
  deleteOfCompany(companyId: number): Promise<void>
}

export interface UserRepository {
  /** An enabled user. @throws AlreadyExistsError where another user of the company has the `emailKey`. */
  insert(user: Omit<UserRecord, 'id' | 'isDisabled'>): Promise<UserRecord>
  get(id: number): Promise<UserRecord | undefined>
  /** The company's user with that `emailKey`. */
  findByEmailKey(companyId: number, emailKey: string): Promise<UserRecord | undefined>
  /** The users of all companies with that `emailKey`: at most one of each. */
  listByEmailKey(emailKey: string): Promise<readonly UserRecord[]>
  /** @param page default all of them */
  list(filter?: { readonly companyId?: number }, page?: RowPage): Promise<readonly UserRecord[]>
  listIds(filter: { readonly companyId?: number }, page: Page): Promise<readonly number[]>
  /** How many users a company has. */
  count(companyId: number): Promise<number>
  /** Changes the members given. @returns whether the user exists. */
  update(id: number, changes: Partial<Pick<UserRecord, 'passwordHash' | 'lastAccess' | 'isDisabled'>>): Promise<boolean>
  /**
   * Deletes users, and erases what is known of them: addresses, names, password hashes, latest accesses. The addresses
   * are free again. Their permissions, keys, tokens and mails are the caller's to remove.
   */
  erase(of: UsersFilter, deleted: string): Promise<void>
}

/** A permission on an account of another company than the user's. */
export interface PermissionAbroad extends Pick<PermissionRecord, 'id' | 'userId' | 'accountId' | 'roleId'> {
  /** Of the account. */
  readonly companyId: number
}

export interface PermissionRepository {
  /** @throws AlreadyExistsError where the user has a permission on the account. */
  insert(permission: Omit<PermissionRecord, 'id'>): Promise<PermissionRecord>
  get(id: number): Promise<PermissionRecord | undefined>
  list(filter?: {
    readonly userId?: number
    readonly accountId?: number
    readonly roleId?: number
  }): Promise<readonly PermissionRecord[]>
  /** Permissions of these users, however many, with what they refer to; those of one user ordered by id. */
  listDetails(userIds: readonly number[]): Promise<readonly PermissionDetails[]>
  /** @returns whether the permission exists. */
  setRole(id: number, roleId: number): Promise<boolean>
  /** Flips `isDisabled` in one statement, so that two at once leave it as it was. @returns whether it exists. */
  toggle(id: number): Promise<boolean>
  /** @returns whether the permission existed. */
  delete(id: number): Promise<boolean>
  /** Permissions of users of a company on accounts of other companies, with the company that each account belongs to. */
  listAbroad(companyId: number, page: Page): Promise<readonly PermissionAbroad[]>
  /** Removes all permissions on the accounts of a company, and those of its users wherever they are. */
  deleteOfCompany(companyId: number): Promise<void>
  /** Takes the addresses of these users, deleted or not, out of `createdBy` of all permissions; their ids stay. */
  eraseCreators(of: UsersFilter): Promise<void>
  /** What decides about a user on an account; `undefined` without a permission. */
  findAccess(userId: number, accountId: number): Promise<AccessRecord | undefined>
  /** What decides about a user on each account of an application; ordered by the account's id. */
  listAccess(userId: number, application: string): Promise<readonly AccessRecord[]>
  /** What decides about each user on each account of an application that a company owns; ordered by the permission's id. */
  listAccessOfCompany(companyId: number, application: string): Promise<readonly AccessRecord[]>
  /** Notes the latest request under a permission. One that is gone is passed over. */
  touch(id: number, lastAccess: string): Promise<void>
}

export interface ApiKeyRepository {
  /** @throws AlreadyExistsError where another key has the `clientId`. */
  insert(key: Omit<ApiKeyRecord, 'id'>): Promise<ApiKeyRecord>
  get(id: number): Promise<ApiKeyRecord | undefined>
  findByClientId(clientId: string): Promise<ApiKeyRecord | undefined>
  list(filter?: { readonly userId?: number }): Promise<readonly ApiKeyRecord[]>
  /** How many keys of a company are neither revoked nor expired at `now`, which is ISO 8601 in UTC with milliseconds. */
  countUsable(companyId: number, now: string): Promise<number>
  /** Sets `revoked` unless it is set. @returns whether the key exists. */
  revoke(id: number, revoked: string): Promise<boolean>
  /** Keys of other companies, not revoked, that act for users of a company. */
  listAbroad(companyId: number, page: Page): Promise<readonly ApiKeyRecord[]>
  /** Removes the keys of a user; or those of a company and those that act for its users, whichever company has them. */
  deleteOf(of: UsersFilter): Promise<void>
  /** Notes the latest token. One that is gone is passed over. */
  touch(id: number, lastUsed: string): Promise<void>
}

/** Tokens that set a password once. */
export interface PasswordTokenRepository {
  insert(token: PasswordTokenRecord): Promise<void>
  find(tokenHash: string): Promise<PasswordTokenRecord | undefined>
  /** Removes a token. @returns whether it was there: of two who use it at once, one learns true */
  remove(tokenHash: string): Promise<boolean>
  /** How many tokens of a user end after `now`. */
  countOfUser(userId: number, now: string): Promise<number>
  removeOfUser(userId: number): Promise<void>
  /** As {@link removeOfUser}, for all users of a company. */
  removeOfCompany(companyId: number): Promise<void>
  /** Removes tokens that ended before `now`. */
  removeExpired(now: string): Promise<void>
}

/** Mails that are still to be sent. */
export interface MailRepository {
  insert(mail: Omit<MailRecord, 'id'>): Promise<MailRecord>
  get(id: number): Promise<MailRecord | undefined>
  /** How many mails wait for a user: all of them, or those of some purposes. */
  countOfUser(userId: number, purposes?: readonly MailPurpose[]): Promise<number>
  /** Removes the mails that wait for users. @returns their ids: each has a job */
  removeOf(of: UsersFilter): Promise<readonly number[]>
  /** Removing a missing one does nothing. */
  remove(id: number): Promise<void>
}
