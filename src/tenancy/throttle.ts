import { sha256Hex } from '../kernel/crypto.js'
import { ThrottledError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import { LruMap } from '../kernel/lru-map.js'
import type { Clock, Repositories, Storage, TransactionOptions } from '../ports/index.js'
import type { Origin } from './access/principal.js'

const WINDOW_MS = 60_000
/** The number of full counters in memory. The next event of a dropped one reads it from the storage. */
const MAX_REMEMBERED = 10_000
const COUNTING: TransactionOptions = { isolation: 'read committed', isWriteFirst: true }

/** A counter of events for one name. */
interface Counter {
  /** The kind of event, such as `failures-secret`. */
  readonly kind: string
  /** Stored only as a hash, because names can be addresses of people, or of any length. */
  readonly name: string
  readonly maxPerMinute: number
  /** The message of the error if the counter is full. */
  readonly refusal: string
}

/**
 * Counts events by name in windows of a minute, for all processes on a storage together. It remembers a full counter
 * until its window ends, so that refused events do not read the storage.
 */
export class Throttle {
  /** Ends of the windows of full counters, in milliseconds since 1970. */
  readonly #fullUntilMs = new LruMap<string, number>(MAX_REMEMBERED)

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts one event in each counter, in their order. Counters after the first full one do not change.
   * @throws ThrottledError if one of them is full
   */
  async count(counters: readonly Counter[]): Promise<void> {
    await this.#apply(counters, 'consume', async (query) => await this.storage.transaction(query, COUNTING))
  }

  /** Checks the counters and changes nothing. @throws ThrottledError as {@link count} */
  async check(counters: readonly Counter[]): Promise<void> {
    await this.#apply(counters, 'peek', async (query) => await this.storage.read(query))
  }

  async #apply(
    counters: readonly Counter[],
    method: 'consume' | 'peek',
    run: (query: (repositories: Repositories) => Promise<FullCounter | undefined>) => Promise<FullCounter | undefined>,
  ): Promise<void> {
    const named = await Promise.all(
      counters.map(async (counter) => ({ ...counter, key: `${counter.kind}:${await sha256Hex(counter.name)}` })),
    )
    const now = this.clock.now()
    for (const counter of named) this.#refuseIfRemembered(counter, now.getTime())
    const full = await run(async ({ rates }) => {
      for (const { key, maxPerMinute, refusal } of named) {
        const limit = { most: maxPerMinute, windowMs: WINDOW_MS, now }
        const { isAllowed, retryAfterMs } = await rates[method](key, limit)
        if (!isAllowed) return { key, refusal, retryAfterMs }
      }
      return undefined
    })
    if (full === undefined) return
    this.#fullUntilMs.set(full.key, now.getTime() + full.retryAfterMs)
    throw throttled(full)
  }

  #refuseIfRemembered({ key, refusal }: Pick<FullCounter, 'key' | 'refusal'>, nowMs: number): void {
    const retryAfterMs = (this.#fullUntilMs.get(key) ?? nowMs) - nowMs
    if (retryAfterMs > 0 && retryAfterMs <= WINDOW_MS) throw throttled({ refusal, retryAfterMs })
    this.#fullUntilMs.delete(key)
  }
}

interface FullCounter {
  readonly key: string
  readonly refusal: string
  readonly retryAfterMs: number
}

function throttled({ refusal, retryAfterMs }: Pick<FullCounter, 'refusal' | 'retryAfterMs'>): ThrottledError {
  return new ThrottledError(refusal, Math.ceil(retryAfterMs / 1_000))
}

/** A wrong secret of a client id, or a wrong password of an e-mail address. The name may be unknown. */
interface Failure {
  readonly kind: 'secret' | 'password'
  readonly name: string
  readonly origin: Pick<Origin, 'remoteAddress'> | undefined
}

const NAMES = { secret: 'client id', password: 'e-mail address' } as const

/**
 * Counts wrong secrets and passwords in a minute, by name and by network address, for all processes together (case T9).
 * Unknown names are counted in the same way as known ones, so that neither answers nor times reveal which names exist.
 */
export class FailureThrottle {
  constructor(
    private readonly throttle: Throttle,
    private readonly limits: EngineLimits,
  ) {}

  /** @throws ThrottledError if the name or the address has reached its limit of the minute */
  async countFailure(failure: Failure): Promise<void> {
    await this.throttle.count(this.#countersOf(failure))
  }

  /** @throws ThrottledError if {@link countFailure} would throw one */
  async check(failure: Failure): Promise<void> {
    await this.throttle.check(this.#countersOf(failure))
  }

  /** The address comes first, so that a throttled address cannot create counters for invented names. */
  #countersOf({ kind, name, origin }: Failure): Counter[] {
    const { failuresPerAddressPerMinute, failuresPerNamePerMinute } = this.limits
    const ofName: Counter = {
      kind: `failures-${kind}`,
      name,
      maxPerMinute: failuresPerNamePerMinute,
      refusal: `too many wrong ${kind}s for this ${NAMES[kind]}: wait`,
    }
    if (origin?.remoteAddress === undefined) return [ofName]
    const ofAddress: Counter = {
      kind: 'failures-address',
      name: networkOf(origin.remoteAddress),
      maxPerMinute: failuresPerAddressPerMinute,
      refusal: 'too many wrong secrets and passwords from this network address: wait',
    }
    return [ofAddress, ofName]
  }
}

/** Counts unauthenticated requests that set or reset passwords, by network address. */
export class PasswordRequests {
  constructor(
    private readonly throttle: Throttle,
    private readonly limits: EngineLimits,
  ) {}

  /** Counts one request. A request without a network address is not counted. @throws ThrottledError */
  async count(origin: Pick<Origin, 'remoteAddress'> | undefined): Promise<void> {
    if (origin?.remoteAddress === undefined) return
    const counter = {
      kind: 'auth-address',
      name: networkOf(origin.remoteAddress),
      maxPerMinute: this.limits.authRequestsPerAddressPerMinute,
      refusal: 'too many requests about passwords from this network address: wait',
    }
    await this.throttle.count([counter])
  }
}

const IPV6_GROUP = /^[0-9a-f]{1,4}$/
const IPV4_AT_END = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
const IPV6_GROUPS = 8
/** Groups of the network part. Providers give a customer a whole /64, so one client can use all of its addresses. */
const NETWORK_GROUPS = 4

const MAX_COUNTER_LENGTH = 200

/** The name of a counter for requests of one kind from one network. */
export function counterName(kind: string, remoteAddress: string | undefined): string {
  return `${kind}:${networkOf(remoteAddress ?? '')}`.slice(0, MAX_COUNTER_LENGTH)
}

/**
 * The network of a remote address, as throttles count it: an IPv4 address (also if it is written as IPv6), or the first
 * 64 bits of an IPv6 address. A text that is not an address is returned in lower case.
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
    const [byte0 = 0, byte1 = 0, byte2 = 0, byte3 = 0] = bytes.slice(0, 4).map(Number)
    return `${(byte0 * 256 + byte1).toString(16)}:${(byte2 * 256 + byte3).toString(16)}`
  })
  const halves = hex.split('::')
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = IPV6_GROUPS - head.length - tail.length
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  return groups.every((group) => IPV6_GROUP.test(group)) ? groups.map((group) => Number.parseInt(group, 16)) : undefined
}
