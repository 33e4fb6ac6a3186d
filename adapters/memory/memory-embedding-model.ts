import {
  ClosedError,
  type EmbeddingModel,
  type EmbeddingProfile,
  type EmbedOptions,
  type Encoding,
  InvalidInputError,
  type Tokenizer,
  type WordSpans,
  wordSpansOf,
} from '../../src/ports/index.js'

const DEFAULT_PROFILE: EmbeddingProfile = {
  id: 'memory',
  fingerprint: 'memory-1',
  dimensions: 64,
  windowTokens: 64,
  pooling: 'mean',
  normalized: true,
  queryPrefix: '',
  passagePrefix: '',
  similarity: { unrelated: 0, related: 1, languages: [] },
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

/** Longest token, in code points. A longer word is cut into several tokens. */
const MAX_TOKEN_CHARACTERS = 20
/** A word has at most 240 code points: a multiple of the longest token, and never more than 512 UTF-16 units. */
const WORD = /[\p{L}\p{N}\p{M}]{1,240}|[^\s\p{L}\p{N}\p{M}]/gu

/** A tokenizer without a vocabulary. Tokens are words, and parts of long words. */
export class WordTokenizer implements Tokenizer {
  readonly specialTokens = 2

  split(text: string): WordSpans {
    return wordSpansOf(text.matchAll(WORD), ([word]) => splitWord(word).length)
  }

  encode(text: string): Encoding {
    const { count, starts, ends } = this.split(text)
    const ids: number[] = []
    const tokenStarts: number[] = []
    const tokenEnds: number[] = []
    for (let word = 0; word < count; word += 1) {
      let start = starts[word] ?? 0
      for (const part of splitWord(text.slice(start, ends[word]))) {
        ids.push(hash(part.toLowerCase()))
        tokenStarts.push(start)
        start += part.length
        tokenEnds.push(start)
      }
    }
    return { ids: Int32Array.from(ids), starts: Uint32Array.from(tokenStarts), ends: Uint32Array.from(tokenEnds) }
  }

  readable(text: string): string {
    return text
  }

  count(text: string): number {
    return this.encode(text).ids.length
  }
}

function splitWord(word: string): string[] {
  const characters = Array.from(word)
  const parts: string[] = []
  for (let start = 0; start < characters.length; start += MAX_TOKEN_CHARACTERS) {
    parts.push(characters.slice(start, start + MAX_TOKEN_CHARACTERS).join(''))
  }
  return parts
}

/** FNV-1a. Equal words get equal ids without a vocabulary. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value & 0x7fffffff
}
