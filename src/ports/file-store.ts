import { InvalidInputError } from '../kernel/errors.js'

/** The size and the hash of a file. */
export interface StoredFile {
  readonly sizeBytes: number
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string
}

/**
 * Keeps files under UUIDs.
 *
 * # Behaviour
 * - A file is complete or does not exist: a write that fails, or that a crash interrupts, leaves nothing under its key.
 * - A completed write survives a crash of the process and of the machine.
 * - Keys are lower-case UUIDs. The store refuses every other key with an `InvalidInputError`: see {@link
 *   requireFileKey}.
 * - Concurrent calls for different keys are allowed, also from several processes. The engine never writes one key twice
 *   at the same time.
 * - A failure of the disk or the service is a `StorageError`, whose `isTransient` says whether a retry may succeed, or
 *   a `StorageFullError` or `StorageReadOnlyError`.
 */
export interface FileStore {
  /**
   * Writes a file, and counts and hashes its bytes during the write.
   *
   * - Memory does not grow with the size of the file.
   * - Stops at once, and leaves nothing, if the content throws or the signal is aborted. Rejects with that error or
   *   reason.
   * - Uses the bytes of a piece before it asks for the next piece: the producer may reuse the memory.
   *
   * @param options.maxBytes maximum size of the file in bytes
   * @param options.signal aborts the write. Default: no signal
   * @throws QuotaExceededError if the content has more than `maxBytes` bytes
   * @throws StorageFullError if the disk is full
   */
  write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile>

  /**
   * Reads the bytes of a file, from the beginning.
   *
   * @throws FileMissingError at the first step, if the file does not exist
   */
  read(key: string): AsyncIterable<Uint8Array>

  /** Does not read the file. @returns the size of the file in bytes; `undefined` if it does not exist */
  sizeOf(key: string): Promise<number | undefined>

  /**
   * Reads a file to its end, and counts and hashes its bytes. Memory does not grow with the size of the file.
   *
   * @param options.signal ends the read; the call rejects with the signal's reason. Default: no signal
   * @throws FileMissingError if the file does not exist
   */
  digest(key: string, options?: { readonly signal?: AbortSignal }): Promise<StoredFile>

  /** Deletes a file. Does nothing if the file does not exist. */
  delete(key: string): Promise<void>

  /** Lists the keys of all files, in any order. Files that are written during the call may be missing. */
  list(): AsyncIterable<string>

  /**
   * Checks that data can be written, without writing any. A full disk passes, because reads go on.
   *
   * @throws StorageReadOnlyError if the disk is read-only
   * @throws StorageError if the data cannot be written for another reason
   */
  requireWritable?(): Promise<void>

  /** @returns the bytes that are free where the files are stored; `undefined`, as without this method, if unknown */
  freeBytes?(): Promise<number | undefined>

  /**
   * May read the size of each file.
   * @returns the bytes that all files take; `undefined`, as without this method, if unknown
   */
  usedBytes?(): Promise<number | undefined>

  /**
   * Removes the remains of unfinished writes that received no bytes for `olderThanMs`.
   *
   * - If the call removes the remains of a write in progress, that write fails. It never stores a part of a file.
   *
   * @param options.olderThanMs in milliseconds. Default: 0, which removes all remains. Use the default only if no other
   *   process writes.
   */
  removeUnfinished(options?: { readonly olderThanMs?: number }): Promise<void>
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** True if a name is a key of a file: a lower-case UUID. */
export function isFileKey(name: string): boolean {
  return UUID.test(name)
}

/** Refuses a name that is not a key, before the name becomes part of a path. @throws InvalidInputError */
export function requireFileKey(key: string): void {
  if (!isFileKey(key)) throw new InvalidInputError('key', 'must be a lower-case UUID')
}
