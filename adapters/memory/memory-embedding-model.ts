import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  InvalidInputError,
  type Tokenizer,
} from '../../src/ports/index.js'
import { WordTokenizer } from './word-tokenizer.js'

const DEFAULT_PROFILE: EmbeddingProfile = {
  id: 'memory',
  fingerprint: 'memory-1',
  dimensions: 64,
  windowTokens: 64,
  pooling: 'mean',
  normalized: true,
  queryPrefix: '',
  passagePrefix: '',
}

/** A model without weights, for tests. Texts are similar if they have words in common. */
export class MemoryEmbeddingModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly #tokenizer = new WordTokenizer()
  #isClosed = false

  constructor(profile: Partial<EmbeddingProfile> = {}) {
    this.profile = { ...DEFAULT_PROFILE, ...profile }
  }

  async tokenizer(): Promise<Tokenizer> {
    this.#refuseIfClosed()
    return this.#tokenizer
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    this.#refuseIfClosed()
    options.signal?.throwIfAborted()
    const { dimensions, windowTokens, queryPrefix, passagePrefix } = this.profile
    const vectors = new Float32Array(texts.length * dimensions)
    texts.forEach((text, row) => {
      const { ids } = this.#tokenizer.encode((options.kind === 'query' ? queryPrefix : passagePrefix) + text)
      if (ids.length + this.#tokenizer.specialTokens > windowTokens) {
        throw new InvalidInputError(
          `texts[${row}]`,
          `has more tokens than the model's window of ${windowTokens}: split the text`,
        )
      }
      addWords(vectors.subarray(row * dimensions, (row + 1) * dimensions), ids)
    })
    return vectors
  }

  /** This model has no files that could be missing. */
  async verify(): Promise<void> {
    this.#refuseIfClosed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError(`the embedding model ${this.profile.id}`)
  }
}

/** Adds each word as two components that its id selects. The sum is normalized to length 1. */
function addWords(vector: Float32Array, ids: Int32Array): void {
  vector[0] = 0.01
  for (const id of ids) {
    for (const [index, sign] of [
      [id % vector.length, 1],
      [(id >>> 8) % vector.length, (id & 1) * 2 - 1],
    ] as const) {
      vector[index] = (vector[index] ?? 0) + sign
    }
  }
  const length = Math.hypot(...vector)
  for (const [index, component] of vector.entries()) vector[index] = component / length
}
