import type { DiskUnwritableError } from '../kernel/errors.js'

/** The disks for which the jobs of workers wait, because they are full or read-only. */
export class UnwritableDisk {
  /** By the object that has noted the reason, and that forgets it. */
  readonly #errors = new Map<object, DiskUnwritableError>()

  /** The first reason of a wait; undefined if no job waits for a disk. */
  get error(): DiskUnwritableError | undefined {
    const [first] = this.#errors.values()
    return first
  }

  note(noter: object, error: DiskUnwritableError): void {
    this.#errors.set(noter, error)
  }

  /** The work of the noter succeeds, or there is none left. */
  forget(noter: object): void {
    this.#errors.delete(noter)
  }
}
