import type { EngineLimits } from '../../shared/limits.js'
import type { Origin } from '../access/principal.js'
import { networkOf } from './network-of.js'
import type { Throttle } from './throttle.js'

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
