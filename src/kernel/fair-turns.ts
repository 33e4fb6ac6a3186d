/** Who waits for a turn: turns go round among groups, and within a group among its members. */
export interface TurnTaker {
  readonly group: number | string
  readonly member: number | string
}

/** One piece of work. The signal ends it where nobody waits for its result any more. */
type TurnWork<Result> = (signal: AbortSignal) => Promise<Result>

/** Pieces of work that were asked for together. */
interface Request {
  readonly works: readonly TurnWork<unknown>[]
  readonly results: unknown[]
  /** One for each piece that runs. */
  readonly running: Set<AbortController>
  begun: number
  resolve(): void
  reject(error: unknown): void
}

/** Those who have work that is not begun, the one whose turn was longest ago first; their requests by age. */
type Members = Map<number | string, Set<Request>>

/**
 * Does so many pieces of work at a time. A free place goes to the group of which fewest pieces run, then to the one
 * whose last turn was longest ago; within the group likewise among its members; and a member's requests are served
 * in the order in which they came. So a group of which nothing runs waits for at most one piece of each other group,
 * however much those have asked for.
 */
export class FairTurns {
  readonly #places: number
  readonly #waiting = new Map<number | string, Members>()
  readonly #groups = new Counts<number | string>()
  readonly #members = new Counts<string>()
  #running = 0

  /** @param places pieces of work at a time, 1 or more */
  constructor(places: number) {
    this.#places = places
  }

  /**
   * Does pieces of work, each in a turn of its own, begun in their order.
   *
   * - Rejects as the first piece that fails; no further piece is begun then, and signals of those that run are aborted.
   * - Rejects with the reason of `signal` as soon as that is aborted, and leaves the queue.
   *
   * @returns the results in the order of `works`
   */
  async all<Result>(
    taker: TurnTaker,
    works: readonly TurnWork<Result>[],
    signal: AbortSignal | undefined,
  ): Promise<Result[]> {
    signal?.throwIfAborted()
    if (works.length === 0) return []
    const results: Result[] = []
    let abort = (): void => undefined
    try {
      await new Promise<void>((resolve, reject) => {
        const request: Request = { works, results, running: new Set(), begun: 0, resolve, reject }
        abort = () => this.#fail(taker, request, signal?.reason)
        signal?.addEventListener('abort', abort, { once: true })
        this.#enqueue(taker, request)
        this.#deal()
      })
      return results
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Does one piece of work in its turn. */
  async one<Result>(taker: TurnTaker, work: TurnWork<Result>, signal: AbortSignal | undefined): Promise<Result> {
    const [result] = await this.all(taker, [work], signal)
    return result as Result
  }

  #enqueue({ group, member }: TurnTaker, request: Request): void {
    const members = this.#waiting.get(group) ?? (new Map() as Members)
    this.#waiting.set(group, members)
    const requests = members.get(member) ?? new Set()
    members.set(member, requests)
    requests.add(request)
  }

  #deal(): void {
    while (this.#running < this.#places) {
      const group = leastServed(this.#waiting, (key) => this.#groups.of(key))
      const members = group === undefined ? undefined : this.#waiting.get(group)
      if (group === undefined || members === undefined) return
      const member = leastServed(members, (key) => this.#members.of(nameOf({ group, member: key })))
      const requests = member === undefined ? undefined : members.get(member)
      const [request] = requests ?? []
      if (member === undefined || requests === undefined || request === undefined) return
      const index = request.begun
      request.begun += 1
      if (request.begun === request.works.length) requests.delete(request)
      // Whoever has had a turn goes to the end of the line, if there is more to do.
      moveToEnd(members, member, requests.size > 0)
      moveToEnd(this.#waiting, group, members.size > 0)
      void this.#run({ group, member }, request, index)
    }
  }

  async #run(taker: TurnTaker, request: Request, index: number): Promise<void> {
    this.#count(taker, 1)
    const abort = new AbortController()
    request.running.add(abort)
    try {
      request.results[index] = await request.works[index]?.(abort.signal)
    } catch (error) {
      this.#fail(taker, request, error)
    } finally {
      request.running.delete(abort)
      this.#count(taker, -1)
    }
    if (request.begun === request.works.length && request.running.size === 0) request.resolve()
    this.#deal()
  }

  #count(taker: TurnTaker, change: 1 | -1): void {
    this.#running += change
    this.#groups.add(taker.group, change)
    this.#members.add(nameOf(taker), change)
  }

  #fail({ group, member }: TurnTaker, request: Request, error: unknown): void {
    request.reject(error)
    const members = this.#waiting.get(group)
    const requests = members?.get(member)
    if (requests?.delete(request) === true && requests.size === 0) members?.delete(member)
    if (members?.size === 0) this.#waiting.delete(group)
    for (const abort of request.running) abort.abort(error)
  }
}

/** How many there are of each key; a key of which there are none takes no room. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>()

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key, change: number): void {
    const count = this.of(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}

function leastServed<Key>(waiting: ReadonlyMap<Key, unknown>, runningOf: (key: Key) => number): Key | undefined {
  let least: { readonly key: Key; readonly running: number } | undefined
  for (const key of waiting.keys()) {
    const running = runningOf(key)
    if (running === 0) return key
    if (least === undefined || running < least.running) least = { key, running }
  }
  return least?.key
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, isKept: boolean): void {
  const value = map.get(key)
  map.delete(key)
  if (isKept && value !== undefined) map.set(key, value)
}

function nameOf({ group, member }: TurnTaker): string {
  return JSON.stringify([group, member])
}
