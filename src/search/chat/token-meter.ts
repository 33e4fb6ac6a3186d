import { InvalidInputError } from '../../kernel/errors.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import { EstimatingTokenCounter } from '../../ports/index.js'
import type { PrepareOptions } from './prepare-input.js'

/** Length of the parts that the estimate counts at once, in UTF-16 units: about a millisecond of work. */
const PART_LENGTH = 16_384

/** Counts tokens for one prompt. It counts no text twice. */
export class TokenMeter {
  readonly #countTokens: PrepareOptions['countTokens']
  readonly #signal: AbortSignal | undefined
  readonly #estimate = new EstimatingTokenCounter()
  readonly #counts = new Map<string, number>()
  readonly #slice = new TimeSlice()

  constructor({ countTokens, signal }: Pick<PrepareOptions, 'countTokens' | 'signal'>) {
    this.#countTokens = countTokens
    this.#signal = signal
  }

  /** @throws InvalidInputError if the host's counter returns no number */
  async count(text: string): Promise<number> {
    const known = this.#counts.get(text)
    if (known !== undefined) return known
    this.#signal?.throwIfAborted()
    const count = this.#countTokens === undefined ? await this.#estimateTokens(text) : await this.#countTokens(text)
    if (typeof count !== 'number' || !(count >= 0)) {
      throw new InvalidInputError('countTokens', 'must return the number of tokens of a text: a number, 0 or more')
    }
    this.#counts.set(text, count)
    return count
  }

  /** A word that a cut divides counts at most one token too many. */
  async #estimateTokens(text: string): Promise<number> {
    let tokens = 0
    for (let start = 0; start < text.length; start += PART_LENGTH) {
      tokens += this.#estimate.count(text.slice(start, start + PART_LENGTH))
      await this.#slice.pauseIfOver()
    }
    return tokens
  }
}
