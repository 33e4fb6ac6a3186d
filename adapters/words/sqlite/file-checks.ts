import { LRUCache } from 'lru-cache'
import { VectorsDamagedError } from '../../../src/ports/index.js'
import { withFileErrors } from './errors.js'
import type { WordFile } from './word-files.js'

/** A search waits for the check of a smaller file, about 0.1 s. A larger one is checked beside the first searches. */
const AWAITED_BYTES = 8 * 1_048_576
/** The number of files that count as checked. Each takes about 100 bytes. */
const MAX_CHECKED = 10_000

/** Checks the file of a collection, if it exists. */
type CheckCollection = (collection: string, check: (file: WordFile) => Promise<void>) => Promise<void>

/**
 * Has each file checked as a whole when this process reads it for the first time. Nothing reads or changes a file that
 * is known to be damaged, until it is dropped.
 */
export class FileChecks {
  readonly #checks = new LRUCache<string, Promise<void>>({ max: MAX_CHECKED })
  readonly #damaged = new Map<string, VectorsDamagedError>()

  constructor(
    private readonly folder: string,
    private readonly check: CheckCollection,
  ) {}

  /** Waits for the check of a small file. */
  async beforeRead(collection: string, file: WordFile): Promise<void> {
    this.refuseIfDamaged(collection)
    if (this.#checks.has(collection)) {
      if (file.sizeBytes <= AWAITED_BYTES) await this.#checks.get(collection)
      return
    }
    const checking = this.noting(collection, async () => await file.check())
    this.#remember(collection, checking)
    if (file.sizeBytes <= AWAITED_BYTES) await checking
  }

  /** Waits for the check of a file of any size. */
  async whole(collection: string): Promise<void> {
    const known = this.#checks.get(collection)
    if (known !== undefined) {
      await known
      return
    }
    const checking = this.noting(collection, async () => {
      await this.check(collection, async (file) => await file.check())
    })
    this.#remember(collection, checking)
    await checking
  }

  /** Runs work, and remembers if it has found a damaged part. */
  async noting<T>(collection: string, work: () => Promise<T>): Promise<T> {
    try {
      return await withFileErrors(this.folder, collection, work)
    } catch (error) {
      if (error instanceof VectorsDamagedError) this.#damaged.set(collection, error)
      throw error
    }
  }

  /** @throws VectorsDamagedError */
  refuseIfDamaged(collection: string): void {
    const error = this.#damaged.get(collection)
    if (error !== undefined) throw error
  }

  forget(collection: string): void {
    this.#damaged.delete(collection)
    this.#checks.delete(collection)
  }

  #remember(collection: string, checking: Promise<void>): void {
    this.#checks.set(collection, checking)
    // Each waiting call gets the error. After any other error than damage, the next call checks again.
    checking.catch(() => this.#checks.delete(collection))
  }
}
