import type { Tokenizer } from './tokenizer.js'

/** The properties of an embedding model. A profile is data, never code. */
export interface EmbeddingProfile {
  /** The name that a context stores as `embeddingModel`, such as `all-MiniLM-L6-v2`. */
  readonly id: string
  /**
   * Identifies the weights and everything else that changes a vector. Contexts with the same model but different
   * fingerprints never share vectors. Letters, digits, `-`.
   */
  readonly fingerprint: string
  /** Number of components of a vector. */
  readonly dimensions: number
  /** Maximum number of tokens of one input, with special tokens and prefix. */
  readonly windowTokens: number
  /** The way to make one vector of the token vectors: their mean (`mean`), or the first one (`cls`). */
  readonly pooling: 'mean' | 'cls'
  /** True if the model's vectors have length 1. */
  readonly normalized: boolean
  /** Text that the model puts before every query; empty for most models. */
  readonly queryPrefix: string
  /** Text that the model puts before every passage; empty for most models. */
  readonly passagePrefix: string
}

/** Options of {@link EmbeddingModel.embed}. */
export interface EmbedOptions {
  /** The kind of the texts. It selects the prefix. */
  readonly kind: 'query' | 'passage'
  /** True if the call overtakes waiting calls that are not urgent. Default: true for `query`, false for `passage`. */
  readonly isUrgent?: boolean
  /** Ends the wait for the result. The model abandons batches that it has not started. Default: no signal. */
  readonly signal?: AbortSignal
}

/**
 * Turns texts into vectors. The cosine of two vectors says how near the meanings of their texts are.
 *
 * # Behaviour
 * - The first call of {@link tokenizer} or {@link embed} loads what it needs. After a failed load, the next call tries
 *   to load a second time.
 * - Concurrent calls are allowed. The model may queue them.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface EmbeddingModel {
  readonly profile: EmbeddingProfile
  /**
   * Number of concurrent calls of {@link embed} with one text that the model can use well. Searches make at most so
   * many calls at a time, so that they can take turns. 1 or more. Default: 2.
   */
  readonly concurrency?: number

  /**
   * Returns the model's own tokenizer. Much cheaper than {@link embed}: does not load the weights.
   *
   * @throws ModelError `ERR_MODEL_MISSING` if a file of the model is missing; `ERR_MODEL_CHANGED` if a file is not the
   *   one that the profile names
   */
  tokenizer(): Promise<Tokenizer>

  /**
   * Embeds texts. Each has at most `windowTokens` tokens, with special tokens and prefix.
   *
   * - Does not change the texts: the caller has passed them through the tokenizer's `readable`.
   * - Does not block the event loop for more than 50 ms.
   * - The same text gives the same vector up to the model's precision. With dynamically quantised weights, the other
   *   texts of a batch change the cosine by up to 0.05.
   * - Rejects with the signal's reason as soon as the signal is aborted.
   *
   * @returns `texts.length × dimensions` floats: one row for each text, in the order of `texts`; empty without texts
   * @throws InvalidInputError for a text that is longer than the window: the model never cuts a text
   * @throws ModelError as {@link tokenizer}
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array>

  /**
   * Checks, without loading the model, that its files exist and are those that the profile names.
   *
   * @throws ModelError as {@link tokenizer}
   */
  verify(): Promise<void>

  /** Frees threads and memory. Calls that wait reject with `ERR_CLOSED`. A second call does nothing. */
  close(): Promise<void>
}
