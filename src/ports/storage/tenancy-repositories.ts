import type {
  AccessRecord,
  AccountRecord,
  ApiKeyRecord,
  CompanyRecord,
  PermissionRecord,
  RegionRecord,
  RoleRecord,
  UserRecord,
} from './tenancy-records.js'

/** Lists come ordered by id; a missing id reads as `undefined`. */
export interface CompanyRepository {
  insert(company: Omit<CompanyRecord, 'id'>): Promise<CompanyRecord>
  get(id: number): Promise<CompanyRecord | undefined>
  /** All companies; the root first. */
  list(): Promise<readonly CompanyRecord[]>
  /**
   * Whether `id` is `ancestorId` or lies below it.
   *
   * - False where either does not exist.
   * - Ends, and says false where it finds no way up, even if rows form a cycle.
   */
  isWithin(id: number, ancestorId: number): Promise<boolean>
  /** Puts a company under another parent. The caller has made sure that no cycle comes of it. */
  setParent(id: number, parentId: number): Promise<void>
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
}

export interface RoleRepository {
  insert(role: Omit<RoleRecord, 'id'>): Promise<RoleRecord>
  get(id: number): Promise<RoleRecord | undefined>
  list(): Promise<readonly RoleRecord[]>
}

export interface UserRepository {
  /** @throws AlreadyExistsError where another user has the `emailKey`. */
  insert(user: Omit<UserRecord, 'id'>): Promise<UserRecord>
  get(id: number): Promise<UserRecord | undefined>
  findByEmailKey(emailKey: string): Promise<UserRecord | undefined>
  list(filter?: { readonly companyId?: number }): Promise<readonly UserRecord[]>
}

export interface PermissionRepository {
  /** @throws AlreadyExistsError where the user has a permission on the account. */
  insert(permission: Omit<PermissionRecord, 'id'>): Promise<PermissionRecord>
  get(id: number): Promise<PermissionRecord | undefined>
  list(filter?: { readonly userId?: number }): Promise<readonly PermissionRecord[]>
  /** @returns whether the permission exists. */
  setRole(id: number, roleId: number): Promise<boolean>
  /** Flips `isDisabled` in one statement, so that two at once leave it as it was. @returns whether it exists. */
  toggle(id: number): Promise<boolean>
  /** @returns whether the permission existed. */
  delete(id: number): Promise<boolean>
  /** What decides about a user on an account; `undefined` without a permission. */
  findAccess(userId: number, accountId: number): Promise<AccessRecord | undefined>
}

export interface ApiKeyRepository {
  /** @throws AlreadyExistsError where another key has the `clientId`. */
  insert(key: Omit<ApiKeyRecord, 'id'>): Promise<ApiKeyRecord>
  get(id: number): Promise<ApiKeyRecord | undefined>
  list(): Promise<readonly ApiKeyRecord[]>
  /** Sets `revoked` unless it is set. @returns whether the key exists. */
  revoke(id: number, revoked: string): Promise<boolean>
}
