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
  /** Key of the application, such as `assistant`. */
  readonly application: string
  readonly regionId: number
  readonly name: string
  readonly isActive: boolean
  readonly created: string
}

/** A role: what its holder may do on accounts of the applications it is valid for. */
export interface RoleRecord {
  readonly id: number
  /** The company it belongs to; null for a system-wide role. */
  readonly companyId: number | null
  readonly name: string
  readonly applications: readonly string[]
  readonly capabilities: readonly string[]
  /** A disabled role gives nothing. */
  readonly isDisabled: boolean
}

/** A user as stored. */
export interface UserRecord {
  readonly id: number
  readonly companyId: number
  /** As it was typed. */
  readonly email: string
  /** The same address in the form in which addresses are compared; unique. */
  readonly emailKey: string
  readonly firstName: string
  readonly lastName: string
  readonly name: string
  readonly created: string
  /** Latest token or checked password. */
  readonly lastAccess: string | null
  /** As the password hasher made it; null until the user has completed the setup. */
  readonly passwordHash: string | null
  readonly isDisabled: boolean
}

/** A permission: a user's role on an account. One for each user and account. */
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

/** A permission with what it refers to, for lists. */
export interface PermissionDetails
  extends Pick<PermissionRecord, 'id' | 'userId' | 'isDisabled' | 'created' | 'lastAccess'> {
  readonly role: Pick<RoleRecord, 'id' | 'name'>
  readonly account: Pick<AccountRecord, 'id' | 'name' | 'companyId' | 'application' | 'isActive'>
  readonly region: RegionRecord
}

/** A token that sets a password once, as stored: only as a hash. */
export interface PasswordTokenRecord {
  readonly userId: number
  /** Lower-case hex SHA-256 of the token. */
  readonly tokenHash: string
  /** ISO 8601. */
  readonly expires: string
}

/** A mail that is still to be sent. Its link is made when it is sent, so no secret is stored. */
export interface MailRecord {
  readonly id: number
  readonly userId: number
  readonly purpose: MailPurpose
  readonly created: string
}

/** An API key as stored; the secret only as a hash. */
export interface ApiKeyRecord {
  readonly id: number
  readonly clientId: string
  /** Lower-case hex SHA-256 of the secret. */
  readonly secretHash: string
  readonly companyId: number
  readonly userId: number
  /** Values of `target_app` it may ask tokens for. */
  readonly targets: readonly string[]
  readonly created: string
  readonly expires: string | null
  readonly lastUsed: string | null
  readonly revoked: string | null
}

/** What decides whether a user may act on an account, in one read. */
export interface AccessRecord {
  readonly user: Pick<UserRecord, 'id' | 'companyId' | 'email' | 'isDisabled'> & OfCompany
  readonly account: Pick<AccountRecord, 'id' | 'companyId' | 'application' | 'isActive'> & OfCompany
  readonly permission: Pick<PermissionRecord, 'id' | 'isDisabled'>
  readonly role: Pick<RoleRecord, 'applications' | 'capabilities' | 'isDisabled'>
}

interface OfCompany {
  /** Whether the company that it belongs to is disabled. */
  readonly isCompanyDisabled: boolean
}
