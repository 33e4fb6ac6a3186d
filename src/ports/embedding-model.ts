import type { Tokenizer } from './tokenizer.js'

/** What an embedding model is and needs; data, never code. */
export interface EmbeddingProfile {
  /** The name a context stores as `embeddingModel`, such as `all-MiniLM-L6-v2`. */
  readonly id: string
  /**
   * Names the weights and everything else that changes a vector. Contexts with
   * one model but another fingerprint never share vectors. Letters, digits, `-`.
   */
  readonly fingerprint: string
  /** Length of a vector. */
  readonly dimensions: number
  /** Tokens that one input may have, special tokens and prefix included. */
  readonly windowTokens: number
  /** How token vectors become one: their mean, or the first (`cls`). */
  readonly pooling: 'mean' | 'cls'
  /** Whether vectors come out with length 1. */
  readonly normalized: boolean
  /** Put before every query; empty for most models. */
  readonly queryPrefix: string
  /** Put before every passage; empty for most models. */
  readonly passagePrefix: string
}

/** How a batch of texts is embedded. */
export interface EmbedOptions {
  /** Which prefix to put. */
  readonly kind: 'query' | 'passage'
  /** Whether somebody waits for it, and it overtakes what is not urgent; default: queries are, passages are not. */
  readonly isUrgent?: boolean
  /** Ends the wait; batches not yet begun are given up. */
  readonly signal?: AbortSignal
}

/**
 * Turns texts into vectors whose cosine tells how near their meanings are.
 *
 * # Behaviour
 * - The first call of {@link tokenizer} or {@link embed} loads what it needs;
 *   a failed load is tried again at the next call.
 * - After {@link close} every call rejects with `ERR_CLOSED`.
 */
export interface EmbeddingModel {
  readonly profile: EmbeddingProfile
  /**
   * Calls of {@link embed} with one text that are worth making at the same time. Searches make no more, so that they can
   * take turns. 1 or more; default 2.
   */
  readonly concurrency?: number

  /**
   * The model's own tokenizer. Cheap beside {@link embed}: the weights are not loaded.
   *
   * @throws ModelError `ERR_MODEL_MISSING` where its files are not there.
   * @throws ModelError `ERR_MODEL_CHANGED` where they are not the ones the profile names.
   */
  tokenizer(): Promise<Tokenizer>

  /**
   * Embeds texts, each within `windowTokens`.
   *
   * - Answers `texts.length × dimensions` floats, one row per text, in the order of `texts`.
   * - No texts, no floats.
   * - Texts are read as they are: what the tokenizer's `readable` is for has been done before.
   * - Does not block the event loop for longer than 50 ms.
   * - The same text gives the same vector up to the model's precision: with
   *   dynamically quantised weights a batch's other texts move the cosine by up to 0.05.
   * - Rejects with the signal's reason once it is aborted.
   *
   * @throws InvalidInputError (`ERR_INVALID_INPUT`) for a text longer than the window: nothing is ever cut.
   * @throws ModelError as {@link tokenizer}.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array>

  /**
   * Checks that the files it needs are there, and are the ones the profile names, without loading them.
   * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`
   */
  verify(): Promise<void>

  /** Frees threads and memory. Waiting calls reject. A second call does nothing. */
  close(): Promise<void>
}
