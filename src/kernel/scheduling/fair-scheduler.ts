/** Runs work that waits for something else, and holds no place of its own scheduler meanwhile. */
export type WhileAway = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The owner of queued work. Turns rotate among groups, and within a group among its members. */
export interface TurnTaker {
  readonly group: number | string
  readonly member: number | string
  /** For the waits for turns of another scheduler. */
  readonly whileAway?: WhileAway
}

/** One piece of work. The signal is aborted when the caller no longer waits for the result. */
type TurnWork<Result> = (signal: AbortSignal) => Promise<Result>

/** The pieces of work of one call. */
interface Request {
  /** The number of pieces. */
  readonly pieces: number
  started: number
  /** Runs a piece. Never rejects. */
  readonly run: (index: number) => Promise<void>
  /** Called after each piece, when its place is free. */
  readonly ended: () => void
}

/** Members with unstarted work. The member whose last turn is oldest comes first. Requests are ordered by age. */
type Members = Map<number | string, Set<Request>>

/**
 * A fair scheduler: runs a limited number of pieces of work at a time.
 *
 * A free place goes to the group with the fewest running pieces, then to the group whose last turn is oldest. The same
 * rule applies to the members of a group. The requests of a member run in the order of their arrival. So a group
 * without running work waits for at most one piece of each other group, however much work those groups have queued.
 */
export class FairScheduler {
  readonly #waiting = new Map<number | string, Members>()
  readonly #runningOfGroup = new Counts<number | string>()
  readonly #runningOfMember = new Counts<string>()
  #running = 0

  /**
   * @param places pieces of work at a time, 1 or more
   * @param placesOfGroup pieces of work of one group at a time. Default: as many as there are places
   */
  constructor(
    private readonly places: number,
    private readonly placesOfGroup: number = places,
  ) {}

  /**
   * Runs pieces of work, each in a turn of its own. They start in their order.
   *
   * - Rejects with the error of the first piece that fails. Then no further piece starts, and the signals of running
   *   pieces are aborted.
   * - Rejects with the reason of `signal` as soon as it is aborted, and leaves the queue.
   *
   * @returns the results in the order of `works`
   */
  async all<Result>(
    taker: TurnTaker,
    works: readonly TurnWork<Result>[],
    signal: AbortSignal | undefined,
  ): Promise<Result[]> {
    if (taker.whileAway === undefined) return await this.#all(taker, works, signal)
    return await taker.whileAway(async () => await this.#all(taker, works, signal))
  }

  async #all<Result>(
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
        const refuse: (error: unknown) => void = reject
        /** One controller for each running piece. */
        const running = new Set<AbortController>()
        const fail = (error: unknown): void => {
          refuse(error)
          this.#withdraw(taker, request)
          for (const controller of running) controller.abort(error)
        }
        const run = async (index: number): Promise<void> => {
          const controller = new AbortController()
          running.add(controller)
          try {
            results[index] = (await works[index]?.(controller.signal)) as Result
          } catch (error) {
            fail(error)
          }
          running.delete(controller)
        }
        const ended = (): void => {
          if (request.started === works.length && running.size === 0) resolve()
        }
        const request: Request = { pieces: works.length, started: 0, run, ended }
        abort = () => fail(signal?.reason)
        signal?.addEventListener('abort', abort, { once: true })
        this.#enqueue(taker, request)
      })
      return results
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Runs one piece of work in its turn. */
  async one<Result>(taker: TurnTaker, work: TurnWork<Result>, signal: AbortSignal | undefined): Promise<Result> {
    const [result] = await this.all(taker, [work], signal)
    return result as Result
  }

  /**
   * Waits for a place.
   * @returns a function that frees the place
   */
  async take(taker: TurnTaker): Promise<() => void> {
    return await new Promise<() => void>((resolve) => {
      const run = async (): Promise<void> => await new Promise<void>((free) => resolve(free))
      this.#enqueue(taker, { pieces: 1, started: 0, run, ended: () => undefined })
    })
  }

  #enqueue({ group, member }: TurnTaker, request: Request): void {
    const members = this.#waiting.get(group) ?? (new Map() as Members)
    this.#waiting.set(group, members)
    const requests = members.get(member) ?? new Set()
    members.set(member, requests)
    requests.add(request)
    this.#fillPlaces()
  }

  #fillPlaces(): void {
    while (this.#running < this.places) {
      const group = leastServed(this.#waiting, (key) => this.#runningOfGroup.get(key))
      const members = group === undefined ? undefined : this.#waiting.get(group)
      if (group === undefined || members === undefined) return
      if (this.#runningOfGroup.get(group) >= this.placesOfGroup) return
      const member = leastServed(members, (key) => this.#runningOfMember.get(memberKey({ group, member: key })))
      const requests = member === undefined ? undefined : members.get(member)
      const [request] = requests ?? []
      if (member === undefined || requests === undefined || request === undefined) return
      const index = request.started
      request.started += 1
      if (request.started === request.pieces) requests.delete(request)
      // After its turn, a member and its group go to the end of the queue, or leave it without further work.
      moveToEnd(members, member, requests.size > 0)
      moveToEnd(this.#waiting, group, members.size > 0)
      void this.#run({ group, member }, request, index)
    }
  }

  async #run(taker: TurnTaker, request: Request, index: number): Promise<void> {
    this.#count(taker, 1)
    await request.run(index)
    this.#count(taker, -1)
    request.ended()
    this.#fillPlaces()
  }

  #count(taker: TurnTaker, change: 1 | -1): void {
    this.#running += change
    this.#runningOfGroup.add(taker.group, change)
    this.#runningOfMember.add(memberKey(taker), change)
  }

  /** Removes the pieces that have not started. */
  #withdraw({ group, member }: TurnTaker, request: Request): void {
    const members = this.#waiting.get(group)
    const requests = members?.get(member)
    if (requests?.delete(request) === true && requests.size === 0) members?.delete(member)
    if (members?.size === 0) this.#waiting.delete(group)
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

/** Numbers and texts differ: `1` is another group than `"1"`. */
function memberKey({ group, member }: TurnTaker): string {
  return `${typeof group} ${group} ${typeof member} ${member}`
}

/** Limits the work in progress: each name has a number of places. */
export class Places {
  readonly #taken = new Counts<string>()

  /**
   * Takes one place of each name.
   * @param limits the number of places of each name
   * @returns a function that releases the places; further calls of it have no effect. Or the name that has no free
   *   place: then no place is taken.
   */
  acquire(limits: Readonly<Record<string, number>>): (() => void) | string {
    const names = Object.keys(limits)
    const fullName = names.find((name) => this.#taken.get(name) >= (limits[name] ?? 0))
    if (fullName !== undefined) return fullName
    for (const name of names) this.#taken.add(name, 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      for (const name of names) this.#taken.add(name, -1)
    }
  }
}

/** A count for each key. A count of 0 uses no memory. */
class Counts<Key> {
  readonly #counts = new Map<Key, number>()

  get(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key, change: number): void {
    const count = this.get(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}
