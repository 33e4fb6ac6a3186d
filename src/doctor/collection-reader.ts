import { AlcoveError, StorageError, VectorsDamagedError } from '../ports/index.js'

/** Reads one collection of an index. After the first failure it reads nothing more. */
export abstract class CollectionReader {
  /** The error of the failed read; undefined if no read failed. */
  failure: unknown

  /** True if the collection cannot be read now, and is not known to be damaged. Then nothing is known of its content. */
  get isUnknown(): boolean {
    return this.failure !== undefined && !this.isDamaged
  }

  get isDamaged(): boolean {
    return this.failure instanceof VectorsDamagedError
  }

  /**
   * Keeps the error as the failure if it is damage, a storage error or an unforeseen error. Throws other errors of the
   * engine: they are refusals.
   * @returns undefined after a failure
   */
  protected async tryRead<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      return await read()
    } catch (error) {
      const isFailure = error instanceof StorageError || error instanceof VectorsDamagedError
      if (error instanceof AlcoveError && !isFailure) throw error
      this.failure = error
      return undefined
    }
  }
}
