import type { UsersFilter } from './tenancy-repositories.js'

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
