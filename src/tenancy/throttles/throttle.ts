import { ThrottledError } from '../../kernel/errors.js'
import type { EngineLimits } from '../../kernel/limits.js'
import { sha256Hex } from '../../kernel/random.js'
import type { Clock, Repositories, Storage, TransactionOptions } from '../../ports/index.js'
import type { Origin } from '../access/principal.js'

const WINDOW_MS = 60_000
/** Counters that are known to be full; the oldest are forgotten, and asked for again. */
const MOST_REMEMBERED = 10_000
const COUNTING: TransactionOptions = { isolation: 'read committed', isWriteFirst: true }

/** What is counted for one name, and how often it may happen in a minute. */
interface Counter {
  /** What is counted, such as `failures-of-client`. */
  readonly kind: string
  /** For whom. It is stored as a hash alone: names may be addresses of people, or of any length. */
  readonly name: string
  readonly mostPerMinute: number
  /** Why the next event is refused. */
  readonly refusal: string
}

/**
 * Counts events of names in windows of a minute, for all processes on a storage together. A counter that is full is
 * remembered until its window ends: what is refused meanwhile costs no look at the storage.
 */
export class Throttle {
  readonly #storage: Storage
  readonly #clock: Clock
  /** When the windows of full counters end, in milliseconds. */
  readonly #full = new Map<string, number>()

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * Counts one event in each counter, in their order; those behind the first that is full are left alone.
   * @throws ThrottledError where one of them is full
   */
  async count(counters: readonly Counter[]): Promise<void> {
    await this.#ask(counters, async (ask) => await this.#storage.transaction(ask, COUNTING), 'take')
  }

  /** Looks as {@link count} does, and counts nothing. */
  async check(counters: readonly Counter[]): Promise<void> {
    await this.#ask(counters, async (ask) => await this.#storage.read(ask), 'peek')
  }

  async #ask(
    counters: readonly Counter[],
    run: (ask: (repositories: Repositories) => Promise<Refusal | undefined>) => Promise<Refusal | undefined>,
    how: 'take' | 'peek',
  ): Promise<void> {
    const names = await Promise.all(counters.map(async ({ kind, name }) => `${kind}:${await sha256Hex(name)}`))
    const now = this.#clock.now()
    for (const [at, counter] of counters.entries()) this.#refuseIfFull(names[at] ?? '', counter, now.getTime())
    const refused = await run(async ({ rates }) => {
      for (const [at, { mostPerMinute }] of counters.entries()) {
        const limit = { most: mostPerMinute, windowMs: WINDOW_MS, now }
        const { isAllowed, retryAfterMs } = await rates[how](names[at] ?? '', limit)
        if (!isAllowed) return { at, retryAfterMs }
      }
      return undefined
    })
    if (refused === undefined) return
    const { at, retryAfterMs } = refused
    this.#remember(names[at] ?? '', now.getTime() + retryAfterMs)
    throw new ThrottledError(counters[at]?.refusal ?? '', Math.ceil(retryAfterMs / 1_000))
  }

  #refuseIfFull(name: string, { refusal }: Counter, nowMs: number): void {
    const waitMs = (this.#full.get(name) ?? nowMs) - nowMs
    if (waitMs > 0 && waitMs <= WINDOW_MS) throw new ThrottledError(refusal, Math.ceil(waitMs / 1_000))
    this.#full.delete(name)
  }

  #remember(name: string, endsMs: number): void {
    this.#full.set(name, endsMs)
    for (const oldest of this.#full.keys()) {
      if (this.#full.size <= MOST_REMEMBERED) return
      this.#full.delete(oldest)
    }
  }
}

interface Refusal {
  readonly at: number
  readonly retryAfterMs: number
}

/** Whose secret was wrong: a client id, or an e-mail address, known or not. */
interface Failure {
  readonly kind: 'secret' | 'password'
  readonly name: string
  readonly origin: Pick<Origin, 'remoteAddress'> | undefined
}

const NAMES = { secret: 'client id', password: 'e-mail address' } as const

/**
 * Counts wrong secrets and passwords in a minute, by name and by network address, for all processes together (case T9).
 * Names of which there is nothing are counted as those of which there is: neither answers nor times tell them apart.
 */
export class FailureThrottle {
  readonly #throttle: Throttle
  readonly #limits: EngineLimits

  constructor(throttle: Throttle, limits: EngineLimits) {
    this.#throttle = throttle
    this.#limits = limits
  }

  /** Counts one more failure. @throws ThrottledError after as many within a minute as there may be */
  async failed(failure: Failure): Promise<void> {
    await this.#throttle.count(this.#countersOf(failure))
  }

  /** @throws ThrottledError where one more failure would be refused */
  async check(failure: Failure): Promise<void> {
    await this.#throttle.check(this.#countersOf(failure))
  }

  /** The address comes first: one that is refused makes no counters of invented names. */
  #countersOf({ kind, name, origin }: Failure): Counter[] {
    const { failuresPerAddressPerMinute, failuresPerNamePerMinute } = this.#limits
    const ofName: Counter = {
      kind: `failures-${kind}`,
      name,
      mostPerMinute: failuresPerNamePerMinute,
      refusal: `too many wrong ${kind}s for this ${NAMES[kind]}: wait`,
    }
    if (origin?.remoteAddress === undefined) return [ofName]
    const ofAddress: Counter = {
      kind: 'failures-address',
      name: networkOf(origin.remoteAddress),
      mostPerMinute: failuresPerAddressPerMinute,
      refusal: 'too many wrong secrets and passwords from this network address: wait',
    }
    return [ofAddress, ofName]
  }
}

/** A group of an IPv6 address, and an IPv4 address at its end. */
const GROUP = /^[0-9a-f]{1,4}$/
const IPV4_AT_END = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
const GROUPS = 8
/** Of the groups, those that a provider gives to one customer: whoever has one address has all of its /64. */
const NETWORK_GROUPS = 4

/**
 * The network from which a request comes, as throttles count it: an IPv4 address, also one written as IPv6, or the
 * first 64 bits of an IPv6 address. A text that is no address stands for itself.
 */
export function networkOf(remoteAddress: string): string {
  const address = remoteAddress.trim().toLowerCase().replace(/%.*$/, '')
  if (!address.includes(':')) return address
  const groups = groupsOf(address)
  if (groups === undefined) return address
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

function groupsOf(address: string): number[] | undefined {
  const hex = address.replace(IPV4_AT_END, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const halves = hex.split('::')
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = GROUPS - head.length - tail.length
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  return groups.every((group) => GROUP.test(group)) ? groups.map((group) => Number.parseInt(group, 16)) : undefined
}

/** Counts requests of strangers that set or reset passwords, by network address. */
export class PasswordRequests {
  readonly #throttle: Throttle
  readonly #limits: EngineLimits

  constructor(throttle: Throttle, limits: EngineLimits) {
    this.#throttle = throttle
    this.#limits = limits
  }

  /** Counts one more; one of which nobody knows from where it comes is not counted. @throws ThrottledError */
  async count(origin: Pick<Origin, 'remoteAddress'> | undefined): Promise<void> {
    if (origin?.remoteAddress === undefined) return
    const counter = {
      kind: 'auth-address',
      name: networkOf(origin.remoteAddress),
      mostPerMinute: this.#limits.authRequestsPerAddressPerMinute,
      refusal: 'too many requests about passwords from this network address: wait',
    }
    await this.#throttle.count([counter])
  }
}
