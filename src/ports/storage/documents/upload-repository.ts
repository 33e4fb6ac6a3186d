/** An upload in progress. It reserves a part of its context's quota, and protects its file from the sweep. */
export interface UploadRecord {
  readonly uuid: string
  readonly contextId: number
  /** Number of bytes that it reserves in the quota. */
  readonly sizeBytes: number
}

/** Uploads in progress. They expire by the database's clock. */
export interface UploadRepository {
  /** Adds an upload that expires after `ttlMs` milliseconds. */
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
