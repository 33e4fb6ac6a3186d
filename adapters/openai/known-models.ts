/** Facts about OpenAI's own models, from its documentation. */
interface KnownModel {
  readonly dimensions: number
  /** Tokens of one input. */
  readonly windowTokens: number
  /** True if the server can shorten its vectors. */
  readonly canShorten: boolean
}

/** OpenAI's models for embeddings. All of them read the vocabulary `cl100k_base`. */
export const KNOWN_MODELS: ReadonlyMap<string, KnownModel> = new Map([
  ['text-embedding-3-small', { dimensions: 1_536, windowTokens: 8_191, canShorten: true }],
  ['text-embedding-3-large', { dimensions: 3_072, windowTokens: 8_191, canShorten: true }],
  ['text-embedding-ada-002', { dimensions: 1_536, windowTokens: 8_191, canShorten: false }],
])
