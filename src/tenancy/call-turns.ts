import { ThrottledError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import { FairScheduler, Places, type TurnTaker, type WhileAway } from '../kernel/scheduling/fair-scheduler.js'
import { letEventLoopRun } from '../kernel/scheduling/time-slice.js'
import type { Principal, RequestOrigin } from './access/principal.js'
import { networkOf } from './throttle.js'

/** Calls of one company that work at a time: more of them would only make the event loop slower for other companies. */
const PLACES_OF_COMPANY = 4
/** Calls of all companies that work at a time. */
const PLACES = 4 * PLACES_OF_COMPANY
/** A call takes some milliseconds, so many of those that wait have ended by then. */
const RETRY_AFTER_SECONDS = 1
/** The longest time in which turns follow each other without the event loop, which reads the requests of others. */
const SLICE_MS = 5

/** The turn of a call. */
export type CallTurn = Required<TurnTaker>

/** The part of a principal that decides about turns. */
type Caller = Pick<Principal, 'companyId' | 'userId' | 'origin'>

/**
 * The turns of calls, at every door. They rotate among companies, and within a company among its API keys and users. So
 * a call waits for at most one piece of work of each other company, however many calls those have waiting.
 *
 * A call holds its place while it works in this process or reads the database. It gives the place back while it waits
 * for a turn of a model or an index, which have turns of their own.
 */
export class CallTurns {
  readonly #scheduler = new FairScheduler(PLACES, PLACES_OF_COMPANY)
  readonly #waiting = new Places()
  /** The time of the first turn since the event loop ran; undefined after it ran. */
  #sliceStartedAt: number | undefined

  constructor(private readonly limits: Pick<EngineLimits, 'callsPerKey' | 'callsPerCompany'>) {}

  /**
   * Runs a piece of work in a turn of its caller. The work must not wait for another turn of this kind.
   *
   * @throws ThrottledError if the caller, or its company, already has as many calls waiting and running as its limit
   *   allows
   */
  async run<Result>(caller: Caller, work: (turn: CallTurn) => Promise<Result>): Promise<Result> {
    const { companyId, userId, origin } = caller
    const member = origin?.clientId === undefined ? userId : `key ${origin.clientId}`
    return await this.#run({ group: companyId, member }, work)
  }

  /**
   * As {@link run}, for a client whose company is not known yet. All such clients together have the turns of one
   * company, which rotate among their networks.
   */
  async runForStranger<Result>(origin: RequestOrigin | undefined, work: () => Promise<Result>): Promise<Result> {
    const { remoteAddress } = origin ?? {}
    const member = remoteAddress === undefined ? '' : networkOf(remoteAddress)
    return await this.#run({ group: 'strangers', member }, work)
  }

  async #run<Result>(taker: TurnTaker, work: (turn: CallTurn) => Promise<Result>): Promise<Result> {
    const { group, member } = taker
    const { callsPerKey, callsPerCompany } = this.limits
    const ofGroup = `${group}`
    const leave = this.#waiting.acquire({ [ofGroup]: callsPerCompany, [`${group} ${member}`]: callsPerKey })
    if (typeof leave === 'string') {
      const [holder, most] =
        leave === ofGroup ? ['this company', callsPerCompany] : ['this API key or user', callsPerKey]
      const problem = `${holder} already has ${most} calls in progress, the maximum: wait until one of them finishes`
      throw new ThrottledError(problem, RETRY_AFTER_SECONDS)
    }
    const turn = new Turn(this.#scheduler, taker)
    try {
      await turn.take()
      await this.#pauseIfOver()
      return await work(turn)
    } finally {
      turn.end()
      leave()
    }
  }

  /** Work that never waits would pass its place on without the event loop, and many such turns would be one long block. */
  async #pauseIfOver(): Promise<void> {
    const now = performance.now()
    if (this.#sliceStartedAt === undefined) {
      this.#sliceStartedAt = now
      setTimeout(() => {
        this.#sliceStartedAt = undefined
      })
    } else if (now - this.#sliceStartedAt > SLICE_MS) await letEventLoopRun()
  }
}

/** One call's place, which it leaves while it waits for turns of another kind. */
class Turn implements CallTurn {
  readonly group: number | string
  readonly member: number | string
  /** Number of waits in progress: parts of a call may wait at the same time. The last one that ends takes a place. */
  #away = 0
  #free: (() => void) | undefined
  #taking: Promise<void> | undefined
  #isEnded = false

  constructor(
    private readonly scheduler: FairScheduler,
    { group, member }: TurnTaker,
  ) {
    this.group = group
    this.member = member
  }

  readonly whileAway: WhileAway = async (work) => {
    this.#away += 1
    this.#leave()
    try {
      return await work()
    } finally {
      this.#away -= 1
      if (this.#away === 0) await this.take()
    }
  }

  /** Parts of a call that come back at the same time share one place: each waiting for its own, they would block all. */
  async take(): Promise<void> {
    if (this.#free !== undefined) return
    this.#taking ??= this.#takePlace()
    await this.#taking
  }

  async #takePlace(): Promise<void> {
    const free = await this.scheduler.take({ group: this.group, member: this.member })
    this.#taking = undefined
    // The call may have ended, or another part of it may have left, while this one waited.
    if (this.#isEnded || this.#away > 0) free()
    else this.#free = free
  }

  end(): void {
    this.#isEnded = true
    this.#leave()
  }

  #leave(): void {
    this.#free?.()
    this.#free = undefined
  }
}
