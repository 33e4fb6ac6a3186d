import { CLOCK_DIFFERENCE_MS } from '../../../kernel/lifetimes.js'

/** An upload in progress. It reserves a part of its context's quota, and protects its file from the sweep. */
export interface UploadRecord {
  readonly uuid: string
  readonly contextId: number
  /** Number of bytes that it reserves in the quota. */
  readonly sizeBytes: number
}

/** The longest time after which an upload expires: an upload holds its quota for so long after its last byte. */
export const UPLOAD_TTL_MS: number = 10 * 60_000
/** An upload that would expire later than this from now is from before the clock was set back. */
export const UPLOAD_TTL_BOUND_MS: number = UPLOAD_TTL_MS + CLOCK_DIFFERENCE_MS

/**
 * Uploads in progress. They expire by the database's clock.
 *
 * An upload that would expire later than {@link UPLOAD_TTL_BOUND_MS} from now counts as expired. But
 * {@link UploadRepository.extend}, `hold`, `remove` and `claimed` accept it until its row is removed: the next extension
 * of a live upload gives it a right time.
 */
export interface UploadRepository {
  /** Adds an upload that expires after `ttlMs` milliseconds, at most {@link UPLOAD_TTL_MS}. */
  insert(upload: UploadRecord, ttlMs: number): Promise<void>
  /** Extends an upload: it expires `ttlMs` milliseconds from now. @returns false if it has expired or is missing */
  extend(uuid: string, ttlMs: number): Promise<boolean>
  /** Sets the number of bytes that an upload reserves, and extends it. @returns as {@link extend} */
  hold(uuid: string, sizeBytes: number, ttlMs: number): Promise<boolean>
  /** Removes an upload. @returns true if it existed and had not expired */
  remove(uuid: string): Promise<boolean>
  /**
   * Sums the used bytes of a context's quota: live documents, with the excess of their texts, and uploads that have not
   * expired. A document with a replacement counts with the larger one of the two.
   */
  usedBytes(contextId: number): Promise<number>
  /**
   * Finds the UUIDs that belong to a row of a document, or to an upload that has not expired. Never misses a UUID that
   * a concurrent transaction moves from an upload to a document. Accepts any number of UUIDs.
   */
  claimed(uuids: readonly string[]): Promise<ReadonlySet<string>>
  /** Counts the expired uploads that still have a row. */
  countExpired(): Promise<number>
  /** Removes expired uploads. @param options.all true to remove all uploads */
  removeExpired(options: { readonly all: boolean }): Promise<void>
}
