import type { SpecialTokenIds } from './tokenizer-file.js'

/**
 * Tokens in one batch, padding included. Larger batches are slower on one thread (1,024: a tenth, by measurement),
 * and a query waits for the batch in flight.
 */
const TOKENS_PER_BATCH = 256

/** Texts of about one length, ready for the model. */
export interface TokenBatch {
  /** Which of the task's texts. */
  readonly rows: readonly number[]
  /** Tokens of the longest text; the others are padded to it. */
  readonly tokensPerText: number
  readonly ids: BigInt64Array
  readonly mask: BigInt64Array
}

/** One request's texts, taken in batches of texts of about one length: padding costs as much as text. */
export class EmbeddingTask {
  readonly id: number
  /** Whether it overtakes what is not. */
  readonly isUrgent: boolean
  readonly vectors: Float32Array
  readonly #inputs: readonly BigInt64Array[]
  readonly #padding: bigint
  /** Rows not taken yet, the longest last. */
  readonly #waiting: number[]

  constructor(
    request: { readonly id: number; readonly isUrgent: boolean },
    encodings: readonly Int32Array[],
    special: SpecialTokenIds,
    dimensions: number,
  ) {
    this.id = request.id
    this.isUrgent = request.isUrgent
    this.vectors = new Float32Array(encodings.length * dimensions)
    this.#inputs = encodings.map((ids) => BigInt64Array.from([special.first, ...ids, special.last], BigInt))
    this.#padding = BigInt(special.padding)
    this.#waiting = this.#inputs.map((_, row) => row).sort((one, other) => this.tokensOf(one) - this.tokensOf(other))
  }

  get isTaken(): boolean {
    return this.#waiting.length === 0
  }

  /** Tokens of a text, special tokens included. */
  tokensOf(row: number): number {
    return this.#inputs[row]?.length ?? 0
  }

  /** The next batch, the longest texts first. */
  takeBatch(): TokenBatch {
    const tokensPerText = this.tokensOf(this.#waiting.at(-1) ?? 0)
    const rows = this.#waiting.splice(-Math.max(1, Math.floor(TOKENS_PER_BATCH / tokensPerText)))
    const ids = new BigInt64Array(rows.length * tokensPerText).fill(this.#padding)
    const mask = new BigInt64Array(ids.length)
    rows.forEach((row, index) => {
      const input = this.#inputs[row] ?? new BigInt64Array()
      ids.set(input, index * tokensPerText)
      mask.fill(1n, index * tokensPerText, index * tokensPerText + input.length)
    })
    return { rows, tokensPerText, ids, mask }
  }
}
