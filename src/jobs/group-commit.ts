import type { Repositories, Storage } from '../ports/index.js'
import { WITH_JOB_HELD } from './held-job.js'

/** A piece of work, and who waits for it. */
interface Waiting {
  readonly work: (repositories: Repositories) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Enough to share the cost of a commit; no more, so that nobody else waits long for the database. */
const MOST_AT_ONCE = 16

/**
 * Commits small pieces of work together: what comes while a transaction is under way goes into the
 * next one. Making a commit durable costs more than the work of most of them. Where one fails, the
 * others of its transaction are done again, each alone, so work must do nothing but read and write. Each piece
 * holds the job that it is about.
 */
export class GroupCommit {
  readonly #storage: Storage
  #waiting: Waiting[] = []
  #isWorking = false

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** As `Storage.transaction`. */
  async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
      if (!this.#isWorking) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, MOST_AT_ONCE))
    this.#isWorking = false
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const [first] = group
    if (first !== undefined && group.length === 1) {
      await this.#storage.transaction(first.work, WITH_JOB_HELD).then(first.resolve, first.reject)
      return
    }
    const results = await this.#tryTogether(group)
    if (results !== undefined) {
      for (const [index, { resolve }] of group.entries()) resolve(results[index])
      return
    }
    for (const alone of group) await this.#commit([alone])
  }

  /** What each piece of work gave; `undefined` where one failed, and nothing was changed. */
  async #tryTogether(group: readonly Waiting[]): Promise<unknown[] | undefined> {
    try {
      return await this.#storage.transaction(async (repositories) => {
        const results: unknown[] = []
        for (const { work } of group) results.push(await work(repositories))
        return results
      }, WITH_JOB_HELD)
    } catch {
      return undefined
    }
  }
}
