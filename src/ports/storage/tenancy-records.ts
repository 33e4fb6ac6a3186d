import type { MailPurpose } from '../mailer.js'

/** A company as stored. The root has no parent. */
export interface CompanyRecord {
  readonly id: number
  readonly name: string
  readonly parentId: number | null
  /** ISO 8601, UTC. */
  readonly created: string
  readonly isDisabled: boolean
}

/** A region, in which accounts live. */
export interface RegionRecord {
  readonly id: number
  readonly name: string
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

/** A user as stored. */
export interface UserRecord {
  readonly id: number
  readonly companyId: number
  /** The address as entered. */
  readonly email: string
  /** The address in the form in which addresses are compared; unique within the company. */
  readonly emailKey: string
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

/** A token that sets a password once. Only its hash is stored. */
export interface PasswordTokenRecord {
  readonly userId: number
  /** Lower-case hex SHA-256 of the token. */
  readonly tokenHash: string
  /** ISO 8601. */
  readonly expires: string
}

/** A mail that waits to be sent. The engine makes its link when it sends the mail, so no secret is stored. */
export interface MailRecord {
  readonly id: number
  readonly userId: number
  readonly purpose: MailPurpose
  readonly created: string
}

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
  readonly created: string
  readonly expires: string | null
  readonly lastUsed: string | null
  readonly revoked: string | null
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
