import type { UsersFilter } from './tenancy/user-repository.js'

/** A limit for the number of events in a time window. */
export interface RateLimit {
  /** Maximum number of events in a window, 1 or more. */
  readonly most: number
  /** Length of a window in milliseconds. A window begins with the first event after the end of the window before. */
  readonly windowMs: number
  /** The time of the event. */
  readonly now: Date
}

/** The decision about one event. */
export interface RateOutcome {
  readonly isAllowed: boolean
  /** Milliseconds until the window ends and the next event is allowed; 0 if this event is allowed. */
  readonly retryAfterMs: number
}

/** Counters of events in time windows, one for each name. All processes on a storage share them. */
export interface RateRepository {
  /**
   * Counts one event, if it is allowed.
   *
   * - Allows at most `most` events of a name in a window, however many callers there are at the same time.
   * - Does not count an event that is not allowed.
   * - Starts a new window if the current one ends later than `windowMs` from `now`: then a clock was set back.
   * - A rollback of the transaction takes back the count too.
   *
   * @param name identifies the counter; at most 255 characters
   */
  consume(name: string, limit: RateLimit): Promise<RateOutcome>
  /** Decides as {@link consume} does, but counts nothing. */
  peek(name: string, limit: RateLimit): Promise<RateOutcome>
  /** Removes a counter, so that its next event begins a new window. Does nothing for an unknown name. */
  forget(name: string): Promise<void>
  /** Removes counters whose windows have ended, at most `limit` of them. @returns the number of removed counters */
  removeEnded(options: { readonly now: Date; readonly limit: number }): Promise<number>
}

/** A token that was revoked before its expiry. */
export interface RevokedToken {
  /** Lower-case hex SHA-256 of the token's id (`jti`). */
  readonly tokenHash: string
  /** The time when the token expires, in milliseconds since 1970. */
  readonly expiresMs: number
}

/** Revoked tokens that have not expired. All processes on a storage share them. */
export interface RevokedTokenRepository {
  /** Adds a token. @returns false if it was revoked before; then nothing changes */
  add(token: RevokedToken): Promise<boolean>
  /** @returns true if the token was revoked */
  has(tokenHash: string): Promise<boolean>
  /** Removes expired tokens, at most `limit` of them. @returns the number of removed tokens */
  removeExpired(options: { readonly now: Date; readonly limit: number }): Promise<number>
}

/** The one-time passwords of a user as stored. The caller encrypts the secrets. */
export interface OneTimePasswordRecord {
  readonly userId: number
  /** The secret in use; null until the user has confirmed one. */
  readonly secret: string | null
  /** A new secret that the user has not confirmed yet; null if there is none. */
  readonly pendingSecret: string | null
  /** Latest time step whose code was accepted; null without a secret in use. */
  readonly lastStep: number | null
}

/** Secrets of one-time passwords, and recovery codes. A user has at most one row. */
export interface OneTimePasswordRepository {
  get(userId: number): Promise<OneTimePasswordRecord | undefined>
  /**
   * Lists the ids of users with a secret in use, ascending.
   *
   * @param among only these ids, any number. Default: all users
   */
  listUserIds(among?: readonly number[]): Promise<readonly number[]>
  /**
   * Locks a user's row until the transaction ends. Waits until no other transaction locks the row. Later statements see
   * the changes that the other transaction has committed. Does nothing if there is no row.
   */
  lock(userId: number): Promise<void>
  /** Stores a secret that is not confirmed, and replaces an earlier one. The secret in use stays. */
  putPending(userId: number, pendingSecret: string): Promise<void>
  /**
   * Makes the pending secret the secret in use, and stores the time step of the code that confirmed it.
   *
   * @returns false if the pending secret is another one, or if there is none
   */
  activate(userId: number, pendingSecret: string, step: number): Promise<boolean>
  /**
   * Accepts the code of a time step, and stores the step.
   *
   * @returns false if the code of this or a later step was accepted before, or if another secret is in use
   */
  consumeStep(userId: number, secret: string, step: number): Promise<boolean>
  /** Stores recovery codes, and removes all earlier ones. */
  replaceRecoveryCodes(userId: number, hashes: readonly string[]): Promise<void>
  /** Removes a recovery code. @returns true if it existed; of two concurrent callers, only one gets true */
  consumeRecoveryCode(userId: number, hash: string): Promise<boolean>
  /** Counts the unused recovery codes of a user. */
  countRecoveryCodes(userId: number): Promise<number>
  /** Removes all data of one user, or of all users of a company, deleted ones too. @returns true if there was a row */
  removeOf(of: UsersFilter): Promise<boolean>
}
