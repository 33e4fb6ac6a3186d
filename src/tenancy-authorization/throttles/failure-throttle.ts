import type { EngineLimits } from '../../shared/limits.js'
import type { Origin } from '../access/principal.js'
import { networkOf } from './network-of.js'
import type { Counter, Throttle } from './throttle.js'

/** Whose secret was wrong: a client id, or an e-mail address, known or not. */
export interface Failure {
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
