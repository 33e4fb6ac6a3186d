/** The token vectors of a batch, as the model gives them. */
export interface TokenVectors {
  /** Row by row: text × token × dimension. */
  readonly data: Float32Array
  /** Tokens in a row, padding included. */
  readonly tokensPerText: number
  readonly dimensions: number
}

/**
 * Makes one vector of a text's token vectors, at `into`.
 *
 * @param row which text of the batch
 * @param tokens its tokens, special tokens included and padding not
 */
export function poolInto(
  into: Float32Array,
  vectors: TokenVectors,
  row: number,
  tokens: number,
  options: { readonly pooling: 'mean' | 'cls'; readonly normalized: boolean },
): void {
  const { data, tokensPerText, dimensions } = vectors
  const begin = row * tokensPerText * dimensions
  const used = options.pooling === 'cls' ? 1 : tokens
  for (let token = 0; token < used; token += 1) {
    const at = begin + token * dimensions
    for (let dimension = 0; dimension < dimensions; dimension += 1) {
      into[dimension] = (into[dimension] ?? 0) + (data[at + dimension] ?? 0)
    }
  }
  scale(into, options.normalized ? 1 / (length(into) || 1) : 1 / used)
}

function length(vector: Float32Array): number {
  let sum = 0
  for (const component of vector) sum += component * component
  return Math.sqrt(sum)
}

function scale(vector: Float32Array, factor: number): void {
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) * factor
}
