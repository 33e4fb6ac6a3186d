import { AlcoveError, StorageError, VectorsDamagedError } from '../../ports/index.js'

/** Reads of one collection. Once one has failed, nothing more is read of it. */
export abstract class CollectionReading {
  /** Why it cannot be read. */
  failure: unknown

  /** Whether nothing is known of it: it cannot be read now, and is not known to be damaged either. */
  get isUnknown(): boolean {
    return this.failure !== undefined && !this.isDamaged
  }

  get isDamaged(): boolean {
    return this.failure instanceof VectorsDamagedError
  }

  /** What fails is told of: damage, a disk that cannot be read, and what nobody has foreseen. Refusals are thrown. */
  protected async reading<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (this.failure !== undefined) return undefined
    try {
      return await read()
    } catch (error) {
      const isKnown = error instanceof StorageError || error instanceof VectorsDamagedError
      if (error instanceof AlcoveError && !isKnown) throw error
      this.failure = error
      return undefined
    }
  }
}
