import type { RowPage } from '../../../kernel/lists.js'
import type { Page } from '../page.js'
import type { WithinFilter } from './company-repository.js'
import type { AccessRecord } from './permission-repository.js'
import type { UsersFilter } from './user-repository.js'

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
  /** The user who made it; missing if the host or the command line did. */
  readonly makerId?: number | undefined
  readonly created: string
  readonly expires: string | null
  readonly lastUsed: string | null
  readonly revoked: string | null
}

/** Selects API keys: those that act for a user, and those of the companies of a {@link WithinFilter}. */
export interface ApiKeyFilter extends WithinFilter {
  readonly userId?: number
}

/** One of the two values that name an API key. */
export type ApiKeyName = { readonly id: number } | { readonly clientId: string }

/** The content of a token, beside its key. */
export interface TokenIds {
  /** The hash by which a revoked token is stored. */
  readonly tokenHash: string
  readonly userId: number
  readonly accountId: number
}

/** The API key of a token. */
export interface KeyOfToken {
  readonly key: ApiKeyRecord
  readonly isTokenRevoked: boolean
  /** As {@link PermissionRepository.findAccess}. */
  readonly access: AccessRecord | undefined
}

/** API keys. */
export interface ApiKeyRepository {
  /** Adds a key. @throws AlreadyExistsError with the reason `client-id-taken` if another key has this `clientId` */
  insert(key: Omit<ApiKeyRecord, 'id'>): Promise<ApiKeyRecord>
  get(id: number): Promise<ApiKeyRecord | undefined>
  findByClientId(clientId: string): Promise<ApiKeyRecord | undefined>
  /** Reads the key and the access of a token. Each request with a token needs all of it, so it comes from one read. */
  findOfToken(key: ApiKeyName, token: TokenIds): Promise<KeyOfToken | undefined>
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
