import type { RowPage } from '../../../kernel/lists.js'
import type { Page } from '../page.js'

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
  /** Grows when the user is disabled or enabled: logins and tokens of a smaller number have ended. */
  readonly loginEpoch: number
}

/** Selects one user, or all users of a company. */
export type UsersFilter = { readonly userId: number } | { readonly companyId: number }

/** Members of a user that change. */
export type UserChanges = Partial<Omit<UserRecord, 'id' | 'companyId' | 'created'>>

/** Users. */
export interface UserRepository {
  /**
   * Adds an enabled user.
   * @throws AlreadyExistsError if another user of the company has this `emailKey` (reason `email-address-taken`) or this
   *   `externalId` (reason `external-id-taken`)
   */
  insert(user: Omit<UserRecord, 'id' | 'isDisabled' | 'loginEpoch'>): Promise<UserRecord>
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

/** A token that sets a password once. Only its hash is stored. */
export interface PasswordTokenRecord {
  readonly userId: number
  /** Lower-case hex SHA-256 of the token. */
  readonly tokenHash: string
  /** ISO 8601. */
  readonly expires: string
}

/** The times between which a valid token expires. Both are ISO 8601. */
export interface ExpiryRange {
  /** The present time. */
  readonly after: string
  /** A token that expires later is from before the clock was set back. */
  readonly until: string
}

/** Tokens that set a password once. */
export interface PasswordTokenRepository {
  insert(token: PasswordTokenRecord): Promise<void>
  find(tokenHash: string): Promise<PasswordTokenRecord | undefined>
  /** Removes a token. @returns true if it existed; of two concurrent callers, only one gets true */
  remove(tokenHash: string): Promise<boolean>
  /** Counts the tokens of a user that expire after `valid.after`, and at `valid.until` at the latest. */
  countOfUser(userId: number, valid: ExpiryRange): Promise<number>
  /** Removes all tokens of a user. */
  removeOfUser(userId: number): Promise<void>
  /** As {@link removeOfUser}, for all users of a company. */
  removeOfCompany(companyId: number): Promise<void>
  /** Removes the tokens that expire at another time, of all users. */
  removeExpired(valid: ExpiryRange): Promise<void>
}
