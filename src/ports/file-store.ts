import { InvalidInputError } from '../kernel/errors.js'

/** What was written. */
export interface StoredFile {
  readonly sizeBytes: number
  /** Lower-case hex SHA-256 of the bytes. */
  readonly sha256: string
}

/**
 * Keeps bytes under UUIDs.
 *
 * # Behaviour
 * - A file is there in full or not at all: a write that fails or is cut off by a
 *   crash leaves nothing under its key.
 * - An acknowledged write survives a crash of the process and of the machine.
 * - Keys are lower-case UUIDs; anything else is refused with `ERR_INVALID_INPUT` (`requireFileKey`).
 */
export interface FileStore {
  /**
   * Writes a file, counting and hashing as the bytes go by.
   *
   * - Memory does not grow with the size.
   * - Stops at once, and leaves nothing, when the content throws or the signal is aborted.
   * - Takes the bytes as they are when they come: their sender may use the same memory for the next ones.
   *
   * @throws QuotaExceededError once more than `maxBytes` have come.
   */
  write(
    key: string,
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<StoredFile>

  /**
   * The bytes of a file, from the beginning.
   * @throws FileMissingError at the first step, where there is none.
   */
  read(key: string): AsyncIterable<Uint8Array>

  /** Bytes of a file; `undefined` where there is none. Cheap: the file is not read. */
  sizeOf(key: string): Promise<number | undefined>

  /**
   * Reads a file to its end, counting and hashing. Memory does not grow with the size.
   * @throws FileMissingError where there is none.
   */
  digest(key: string, options?: { readonly signal?: AbortSignal }): Promise<StoredFile>

  /** Deletes a file. A missing one is no error. */
  delete(key: string): Promise<void>

  /** The keys of all files, in any order. Files written meanwhile may be missing. */
  list(): AsyncIterable<string>

  /**
   * Removes what writes have left behind that never ended, and that nothing was written to for `olderThanMs`.
   * Default 0: all of it, which is not to be done beside a write in another process.
   *
   * - A write that loses what it has written by that fails; it does not go on with a part of the file.
   */
  removeUnfinished(options?: { readonly olderThanMs?: number }): Promise<void>
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a name is one that a file may be kept under: a lower-case UUID. */
export function isFileKey(name: string): boolean {
  return UUID.test(name)
}

/** Refuses every other name, before it becomes a part of a path. @throws InvalidInputError */
export function requireFileKey(key: string): void {
  if (!isFileKey(key)) throw new InvalidInputError('key', 'must be a lower-case UUID')
}
