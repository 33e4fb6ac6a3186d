import { DeviceEmbeddingModel } from '../../dist/adapters/device/index.js'
import type { EmbeddingModel, EmbeddingProfile, EmbedOptions, Tokenizer } from '../../dist/src/ports/index.js'
import { bundledModel } from '../bundled-model.js'

/** Longest stretch of work on the event loop. */
const SLICE_MS = 5

/** The behaviour of a model that only counts tokens. */
export interface QuickModelOptions {
  readonly dimensions: number
  /** Delay before each call. Default: none. */
  readonly delayMs?: () => number
  /** The weight of a token in a vector, by its id. Default: 1. */
  readonly weightOf?: (id: number) => number
}

/**
 * The bundled model's tokenizer and windows. Vectors come from the tokens alone, and equal texts have equal vectors.
 */
export class QuickModel implements EmbeddingModel {
  readonly profile: EmbeddingProfile
  readonly #model: DeviceEmbeddingModel
  readonly #delayMs: () => number
  readonly #weightOf: (id: number) => number

  static async open(options: QuickModelOptions): Promise<QuickModel> {
    return new QuickModel(await DeviceEmbeddingModel.open(bundledModel), options)
  }

  private constructor(model: DeviceEmbeddingModel, options: QuickModelOptions) {
    const { dimensions, delayMs = () => 0, weightOf = () => 1 } = options
    this.#model = model
    this.#delayMs = delayMs
    this.#weightOf = weightOf
    this.profile = { ...model.profile, id: 'quick', fingerprint: `quick-${dimensions}`, dimensions }
  }

  async tokenizer(): Promise<Tokenizer> {
    return await this.#model.tokenizer()
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<Float32Array> {
    const tokenizer = await this.tokenizer()
    const { dimensions } = this.profile
    const vectors = new Float32Array(texts.length * dimensions)
    await new Promise((resolve) => setTimeout(resolve, this.#delayMs()))
    let began = performance.now()
    for (const [row, text] of texts.entries()) {
      signal?.throwIfAborted()
      addTokens(vectors.subarray(row * dimensions, (row + 1) * dimensions), tokenizer.encode(text).ids, this.#weightOf)
      if (performance.now() - began < SLICE_MS) continue
      await new Promise((resolve) => setTimeout(resolve, 0))
      began = performance.now()
    }
    return vectors
  }

  async verify(): Promise<void> {
    await this.#model.verify()
  }

  async close(): Promise<void> {
    await this.#model.close()
  }
}

/** Each token points in two directions of its own; the sum is brought to length 1. */
function addTokens(vector: Float32Array, ids: Int32Array, weightOf: (id: number) => number): void {
  vector[0] = 0.01
  for (const id of ids) {
    const mixed = Math.imul(id, 0x9e3779b1) >>> 0
    const weight = weightOf(id)
    for (const index of [mixed % vector.length, (mixed >>> 8) % vector.length]) {
      vector[index] = (vector[index] ?? 0) + weight * (((mixed >>> 16) & 1) * 2 - 1)
    }
  }
  let squares = 0
  for (const component of vector) squares += component * component
  for (const [index, component] of vector.entries()) vector[index] = component / Math.sqrt(squares)
}
