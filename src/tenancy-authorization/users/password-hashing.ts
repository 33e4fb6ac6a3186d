import type { PasswordHasher } from '../../ports/index.js'
import { ThrottledError } from '../../shared/errors.js'
import { FairTurns } from '../../shared/fair-turns.js'
import { Places } from '../../shared/places.js'
import type { Origin } from '../access/principal.js'
import { networkOf } from '../throttles/network-of.js'

/** A hash takes tens of MB and a thread of the host's pool, which files and look-ups of names need too. */
const AT_A_TIME = 2
/** Passwords that are hashed or wait: from one network address, and in all. */
const MOST_OF_ADDRESS = 16
const MOST = 128
const RETRY_AFTER_SECONDS = 2

/** Hashes passwords a few at a time; network addresses take turns. */
export class PasswordHashing {
  readonly #hasher: PasswordHasher
  readonly #turns = new FairTurns(AT_A_TIME)
  readonly #places = new Places()

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher
  }

  /**
   * Does work for a stranger once it is its turn.
   * @throws ThrottledError where too many wait already
   */
  async forStranger<Result>(
    origin: Pick<Origin, 'remoteAddress'> | undefined,
    work: (hasher: PasswordHasher) => Promise<Result>,
  ): Promise<Result> {
    const group = origin?.remoteAddress === undefined ? '' : networkOf(origin.remoteAddress)
    const free = this.#places.take({ all: MOST, ...(group !== '' && { [`of ${group}`]: MOST_OF_ADDRESS }) })
    if (typeof free === 'string') {
      throw new ThrottledError('too many passwords are being checked or set: wait a moment', RETRY_AFTER_SECONDS)
    }
    try {
      return await this.#inTurn(group, work)
    } finally {
      free()
    }
  }

  /** Does work that the host asks for by itself, once it is its turn. */
  async forHost<Result>(work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result> {
    return await this.#inTurn('the host', work)
  }

  async #inTurn<Result>(group: string, work: (hasher: PasswordHasher) => Promise<Result>): Promise<Result> {
    return await this.#turns.one({ group, member: '' }, async () => await work(this.#hasher), undefined)
  }
}
