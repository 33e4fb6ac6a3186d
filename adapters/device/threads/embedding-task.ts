/**
 * The number of tokens of one batch, padding included. Larger batches are slower on one thread (1,024: a tenth, by
 * measurement), and a query waits for the batch in progress.
 */
const TOKENS_PER_BATCH = 256

/** Texts of about the same length, ready for the model. */
interface TokenBatch {
  /** The indexes of the texts in the task. */
  readonly rows: readonly number[]
  /** The number of tokens of the longest text; the others are padded to it. */
  readonly tokensPerText: number
  readonly ids: BigInt64Array
  readonly mask: BigInt64Array
}

/** The texts of one request, taken in batches of about the same length: padding costs as much as text. */
export class EmbeddingTask {
  readonly id: number
  /** True if it overtakes requests that are not urgent. */
  readonly isUrgent: boolean
  readonly vectors: Float32Array
  readonly #inputs: readonly BigInt64Array[]
  readonly #padding: bigint
  /** Rows that are not taken yet, the longest last. */
  readonly #waiting: number[]

  /** @param inputs the tokens of each text, special tokens included */
  constructor(
    request: { readonly id: number; readonly isUrgent: boolean },
    inputs: readonly Int32Array[],
    paddingId: number,
    dimensions: number,
  ) {
    this.id = request.id
    this.isUrgent = request.isUrgent
    this.vectors = new Float32Array(inputs.length * dimensions)
    this.#inputs = inputs.map((ids) => BigInt64Array.from(ids, BigInt))
    this.#padding = BigInt(paddingId)
    this.#waiting = this.#inputs.map((_, row) => row).sort((one, other) => this.tokensOf(one) - this.tokensOf(other))
  }

  get isTaken(): boolean {
    return this.#waiting.length === 0
  }

  /** Returns the number of tokens of a text, special tokens included. */
  tokensOf(row: number): number {
    return this.#inputs[row]?.length ?? 0
  }

  /** Takes the next batch, the longest texts first. */
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

/** The token vectors of a batch, as the model returns them. */
interface TokenVectors {
  /** Row by row, with the shape text × token × dimension. */
  readonly data: Float32Array
  /** The number of tokens of each text, padding included. */
  readonly tokensPerText: number
  /** The length of a token's vector. */
  readonly dimensions: number
}

/**
 * Pools the token vectors of a text into one vector, at `into`. A shorter one gets the first components alone, as models
 * that are trained for it (Matryoshka) need, and is normalised after the cut.
 *
 * @param row the index of the text in the batch
 * @param tokens the number of its tokens: with special tokens, without padding
 */
export function poolInto(
  into: Float32Array,
  vectors: TokenVectors,
  row: number,
  tokens: number,
  options: { readonly pooling: 'mean' | 'cls'; readonly normalized: boolean },
): void {
  const { data, tokensPerText, dimensions } = vectors
  const rowStart = row * tokensPerText * dimensions
  const pooledTokens = options.pooling === 'cls' ? 1 : tokens
  for (let token = 0; token < pooledTokens; token += 1) {
    const at = rowStart + token * dimensions
    for (let dimension = 0; dimension < into.length; dimension += 1) {
      into[dimension] = (into[dimension] ?? 0) + (data[at + dimension] ?? 0)
    }
  }
  scale(into, options.normalized ? 1 / (length(into) || 1) : 1 / pooledTokens)
}

function length(vector: Float32Array): number {
  let sum = 0
  for (const component of vector) sum += component * component
  return Math.sqrt(sum)
}

function scale(vector: Float32Array, factor: number): void {
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) * factor
}
