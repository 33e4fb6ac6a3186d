import { isPassing } from './errors.js'

/** An item, and who waits for what comes of it. */
interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Enough to share the cost of a round trip or a commit; no more, so that nobody else waits long for the database. */
const MOST_AT_ONCE = 32

/**
 * Does small pieces of work together: what comes while others are done is done next, at one go. Where that fails,
 * each is done again, alone, so that one does not fail for another: work must be such that it can be done again. A
 * database that is away for a while fails for all: each would wait for it in turn.
 */
export class Together<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>
  #waiting: Waiting<Item, Result>[] = []
  #isWorking = false

  /** @param work gives a result for each item, in their order */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#work = work
  }

  async do(item: Item): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (!this.#isWorking) void this.#doAll()
    })
  }

  async #doAll(): Promise<void> {
    this.#isWorking = true
    // What is asked for in the same turn comes along.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#doGroup(this.#waiting.splice(0, MOST_AT_ONCE))
    this.#isWorking = false
  }

  async #doGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#work(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (group.length === 1 || isPassing(error)) for (const { reject } of group) reject(error)
      else for (const alone of group) await this.#doGroup([alone])
    }
  }
}
