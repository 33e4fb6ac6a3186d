import type { Page } from '../page.js'
import type { AccountRecord } from './account-repository.js'
import type { RegionRecord } from './company-repository.js'
import type { RoleRecord } from './role-repository.js'
import type { UserRecord, UsersFilter } from './user-repository.js'

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
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'email' | 'isDisabled' | 'loginEpoch'> & WithCompanyState
  readonly account: Pick<AccountRecord, 'id' | 'companyId' | 'application' | 'isActive'> & WithCompanyState
  readonly permission: Pick<PermissionRecord, 'id' | 'isDisabled'>
  readonly role: Pick<RoleRecord, 'applications' | 'capabilities' | 'isDisabled'>
}

interface WithCompanyState {
  /** True if the company that it belongs to is disabled. */
  readonly isCompanyDisabled: boolean
  /** The `loginEpoch` of that company. */
  readonly companyLoginEpoch: number
}

/** Permissions. */
export interface PermissionRepository {
  /**
   * Adds a permission.
   * @throws AlreadyExistsError with the reason `permission-exists` if the user has a permission on the account
   */
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
