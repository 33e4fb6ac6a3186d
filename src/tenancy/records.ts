import type {
  AccountRecord,
  ApiKeyRecord,
  CompanyRecord,
  PermissionDetails,
  PermissionRecord,
  RoleRecord,
  Sight,
  UserRecord,
} from '../ports/index.js'
import type { OtpMethod } from './users/second-factor.js'

/** A company as the engine returns it. */
export interface Company extends Pick<CompanyRecord, 'id' | 'name' | 'parentId'> {
  readonly disabled: boolean
}

/** A company's access to one application. */
export interface Account {
  readonly id: number
  /** The company it belongs to. */
  readonly customerId: number
  /** Key of the application. */
  readonly application: string
  readonly region: string
  readonly name: string
  readonly active: boolean
}

export interface Role {
  readonly id: number
  /** The company it belongs to; null for a system-wide role. */
  readonly customerId: number | null
  readonly name: string
  readonly applications: readonly string[]
  readonly capabilities: readonly string[]
  readonly disabled: boolean
}

/** A role as a user who manages a company sees it. */
export interface ListedRole extends Role {
  /** True if the caller has all capabilities of the role, and so may grant it unless it is disabled. */
  readonly grantable: boolean
}

/** A user, without permissions. */
export interface User {
  readonly id: number
  readonly customerId: number
  readonly firstName: string
  readonly lastName: string
  readonly name: string
  /** Empty for a user without one. */
  readonly email: string
  /** The id that the host's login gives the user; null for none. */
  readonly externalId: string | null
  readonly createdAt: string
  /** True after the user has completed the setup. */
  readonly hasPassword: boolean
  /** Second factor of the password check: `none`, or `totp` for one-time passwords. */
  readonly otpMethod: string
  /** Time of the latest token or successful password check. */
  readonly lastAccess: string | null
  readonly disabled: boolean
}

/** A user as the tenant API lists it. Specification: User. */
export interface UserWithPermissions extends Omit<User, 'customerId' | 'externalId' | 'disabled'> {
  readonly permissions: readonly ListedPermission[]
}

/** A permission as listed inside a user. Specification: Permission. */
export interface ListedPermission {
  readonly id: number
  readonly disabled: boolean
  readonly createdAt: string
  readonly lastAccess: string | null
  /** True if the account is active. */
  readonly instanceActive: boolean
  readonly role: { readonly id: number; readonly name: string }
  readonly account: { readonly id: number; readonly name: string; readonly customerId: number }
  readonly application: { readonly id: number; readonly name: string; readonly key: string }
  readonly region: { readonly id: number; readonly name: string }
}

/** A permission as its creation returns it. Specification: Permission. */
export interface Permission {
  readonly id: number
  readonly appAccountId: number
  readonly userIdentityId: number
  readonly appRoleId: number
  readonly lastAccess: string | null
  readonly disabled: boolean
  readonly createdAt: string
  readonly createdBy: string
}

/** An API key, without its secret. */
export interface ApiKey {
  readonly id: number
  readonly clientId: string
  readonly companyId: number
  readonly userId: number
  readonly targets: readonly string[]
  /** The contexts that its tokens see: `user` for the user's own and shared ones, `account` for all of the account. */
  readonly sight: Sight
  readonly created: string
  readonly expires: string | null
  readonly lastUsed: string | null
  readonly revoked: string | null
}

export function toCompany({ id, name, parentId, isDisabled }: CompanyRecord): Company {
  return { id, name, parentId, disabled: isDisabled }
}

export function toAccount(record: AccountRecord, region: string): Account {
  const { id, companyId, application, name, isActive } = record
  return { id, customerId: companyId, application, region, name, active: isActive }
}

export function toRole({ id, companyId, name, applications, capabilities, isDisabled }: RoleRecord): Role {
  return { id, customerId: companyId, name, applications, capabilities, disabled: isDisabled }
}

export function toUser(record: UserRecord, otpMethod: OtpMethod): User {
  const { id, companyId, firstName, lastName, name, email, externalId } = record
  const { created, lastAccess, passwordHash, isDisabled } = record
  return {
    id,
    customerId: companyId,
    firstName,
    lastName,
    name,
    email,
    externalId,
    createdAt: created,
    hasPassword: passwordHash !== null,
    otpMethod,
    lastAccess,
    disabled: isDisabled,
  }
}

export function toListedUser(
  record: UserRecord,
  otpMethod: OtpMethod,
  permissions: readonly PermissionDetails[],
): UserWithPermissions {
  const { customerId: _company, externalId: _external, disabled: _disabled, ...user } = toUser(record, otpMethod)
  return { ...user, permissions: permissions.map(toListedPermission) }
}

function toListedPermission(details: PermissionDetails): ListedPermission {
  const { id, isDisabled, created, lastAccess, role, account, region } = details
  const application = APPLICATIONS.find(({ key }) => key === account.application)
  return {
    id,
    disabled: isDisabled,
    createdAt: created,
    lastAccess,
    instanceActive: account.isActive,
    role: { id: role.id, name: role.name },
    account: { id: account.id, name: account.name, customerId: account.companyId },
    application: {
      id: application?.id ?? 0,
      name: application?.name ?? account.application,
      key: account.application,
    },
    region: { id: region.id, name: region.name },
  }
}

export function toPermission(record: PermissionRecord): Permission {
  const { id, accountId, userId, roleId, lastAccess, isDisabled, created, createdBy } = record
  return {
    id,
    appAccountId: accountId,
    userIdentityId: userId,
    appRoleId: roleId,
    lastAccess,
    disabled: isDisabled,
    createdAt: created,
    createdBy,
  }
}

export function toApiKey(record: ApiKeyRecord): ApiKey {
  const { id, clientId, companyId, userId, targets, sight, created, expires, lastUsed, revoked } = record
  return { id, clientId, companyId, userId, targets, sight, created, expires, lastUsed, revoked }
}

/** An application. Permissions give access to its accounts. */
interface Application {
  /** Stable, because clients send it as the value of an option item. */
  readonly id: number
  readonly key: string
  readonly name: string
}

/** The applications that every installation has. */
export const APPLICATIONS: readonly Application[] = [
  { id: 1, key: 'assistant', name: 'Assistant' },
  { id: 2, key: 'tenant', name: 'Tenant' },
  { id: 3, key: 'builder', name: 'Builder' },
]

export const APPLICATION_KEYS: readonly string[] = APPLICATIONS.map(({ key }) => key)

/** The region of the accounts that are created together with a company. */
export const DEFAULT_REGION = 'local'
