/** The token vectors of a batch, as the model returns them. */
export interface TokenVectors {
  /** Row by row, with the shape text × token × dimension. */
  readonly data: Float32Array
  /** The number of tokens of each text, padding included. */
  readonly tokensPerText: number
  readonly dimensions: number
}

/**
 * Pools the token vectors of a text into one vector, at `into`.
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
    for (let dimension = 0; dimension < dimensions; dimension += 1) {
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
