import type { DiskUnwritableError } from '../kernel/errors.js'

/** The disk for which the jobs of a worker wait, because it is full or read-only. */
export class UnwritableDisk {
  #error: DiskUnwritableError | undefined

  /** The reason of the wait; undefined if no job waits for a disk. */
  get error(): DiskUnwritableError | undefined {
    return this.#error
  }

  note(error: DiskUnwritableError): void {
    this.#error = error
  }

  /** A job has recorded an outcome, so the disk takes data. */
  forget(): void {
    this.#error = undefined
  }
}
