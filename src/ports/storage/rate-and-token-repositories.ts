import type { UsersFilter } from './tenancy-repositories.js'

/** How often something may happen. */
export interface RateLimit {
  /** Events that are allowed in a window, 1 or more. */
  readonly most: number
  /** Length of a window in milliseconds. It begins with the first event after the window before. */
  readonly windowMs: number
  /** The time of the event. */
  readonly now: Date
}

/** The answer to one event. */
export interface RateOutcome {
  readonly isAllowed: boolean
  /** Milliseconds until the window ends: from then on the next event is allowed. 0 where this one is. */
  readonly retryAfterMs: number
}

/** Counters of events in windows of time, one for each name, which all processes on a storage share. */
export interface RateRepository {
  /**
   * Counts one event.
   *
   * - At most `most` events of a name are allowed in a window, however many callers ask at the same time.
   * - An event that is not allowed is not counted.
   * - A window that ends later than `windowMs` from `now` (a clock was set back) begins anew.
   * - A rollback takes the count back with the rest of its transaction.
   *
   * @param name what is counted, and for whom: at most 255 characters
   */
  take(name: string, limit: RateLimit): Promise<RateOutcome>
  /** Looks as {@link take} does, and counts nothing. */
  peek(name: string, limit: RateLimit): Promise<RateOutcome>
  /** Forgets a name: its next event begins a new window. Forgetting an unknown name does nothing. */
  forget(name: string): Promise<void>
  /** Removes counters whose windows have ended, at most `limit` of them. @returns how many were removed */
  removeEnded(options: { readonly now: Date; readonly limit: number }): Promise<number>
}

/** A token that was revoked before it expires. */
export interface RevokedToken {
  /** SHA-256 of the token's id (`jti`), in hexadecimal digits. */
  readonly tokenHash: string
  /** When the token expires by itself, in milliseconds. */
  readonly expiresMs: number
}

/** Tokens that were revoked, for as long as they would live, which all processes on a storage share. */
export interface RevokedTokenRepository {
  /** Adds a token. Adding one that is there changes nothing. @returns whether it was not there before */
  add(token: RevokedToken): Promise<boolean>
  /** Looks whether a token was revoked. */
  has(tokenHash: string): Promise<boolean>
  /** Removes tokens that have expired, at most `limit` of them. @returns how many were removed */
  removeExpired(options: { readonly now: Date; readonly limit: number }): Promise<number>
}

/** The one-time passwords of a user as stored. Secrets are sealed before they come here. */
export interface OneTimePasswordRecord {
  readonly userId: number
  /** Secret in use; null until one was confirmed. */
  readonly secret: string | null
  /** Secret that waits to be confirmed. */
  readonly pendingSecret: string | null
  /** Latest time step whose code was accepted; null where there is no secret in use. */
  readonly lastStep: number | null
}

/** Secrets of one-time passwords, and recovery codes. A user has one row at the most. */
export interface OneTimePasswordRepository {
  get(userId: number): Promise<OneTimePasswordRecord | undefined>
  /** Ids of all users, or of those among these, however many, who have a secret in use; ascending. */
  listUserIds(among?: readonly number[]): Promise<readonly number[]>
  /**
   * Holds a user's row until the transaction ends: of several transactions that do so, each begins to hold it where the
   * one before has ended, and its statements see what that one has committed. A missing row is passed over.
   */
  lock(userId: number): Promise<void>
  /** Keeps a secret that waits to be confirmed, in place of an earlier one. The secret in use stays. */
  putPending(userId: number, pendingSecret: string): Promise<void>
  /**
   * Puts the secret that waits in use, and notes the step of the code that has confirmed it.
   * @returns false where another secret waits, or none
   */
  activate(userId: number, pendingSecret: string, step: number): Promise<boolean>
  /**
   * Accepts the code of a time step.
   * @returns false where the code of this step or a later one was accepted before, and where another secret is in use
   */
  takeStep(userId: number, secret: string, step: number): Promise<boolean>
  /** Keeps these recovery codes, in place of all earlier ones. */
  replaceRecoveryCodes(userId: number, hashes: readonly string[]): Promise<void>
  /** Removes a recovery code. @returns whether it was there: of two who use it at once, one learns true */
  takeRecoveryCode(userId: number, hash: string): Promise<boolean>
  countRecoveryCodes(userId: number): Promise<number>
  /** Removes everything of a user, or of all users of a company, deleted ones too. @returns whether there was a row */
  removeOf(of: UsersFilter): Promise<boolean>
}
