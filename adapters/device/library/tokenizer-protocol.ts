import type { MessagePort } from 'node:worker_threads'
import type { InputOptions } from '../device-tokenizer.js'
import type { ThreadError } from '../threads/thread-error.js'
import type { WordLimits } from './words.js'

/** The data that the thread of a tokenizer starts with. */
export interface TokenizerThreadData {
  readonly folder: string
  /** The port of {@link WordRequest}s. The host's thread waits for the answers. */
  readonly port: MessagePort
  /** One number, which becomes 1 with each answer on the port. */
  readonly flag: Int32Array
}

/** Facts about a tokenizer. */
export interface TokenizerFacts extends WordLimits {
  readonly specialTokens: number
  readonly unknownId: number | undefined
}

/** A request on the port: for the number of tokens of each word, or for the tokens themselves. */
export interface WordRequest {
  readonly type: 'count' | 'read'
  readonly words: readonly string[]
}

/** The tokens of a word, with offsets relative to the word's first UTF-16 unit. */
export interface WordTokens {
  readonly ids: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** For each word of a request, in its order. */
export type WordAnswer =
  | { readonly type: 'counts'; readonly counts: readonly number[] }
  | { readonly type: 'tokens'; readonly tokens: readonly WordTokens[] }

/** Texts to encode for the model. */
export interface EncodeRequest extends Omit<InputOptions, 'signal'> {
  readonly type: 'encode'
  readonly id: number
  readonly texts: readonly string[]
}

export type TokenizerRequest = EncodeRequest | { readonly type: 'cancel'; readonly id: number }

export type TokenizerResponse =
  | { readonly type: 'ready'; readonly facts: TokenizerFacts }
  /** The tokens of each text, special tokens included. */
  | { readonly type: 'encoded'; readonly id: number; readonly inputs: readonly Int32Array[] }
  /** Without an id, the tokenizer cannot be loaded. */
  | { readonly type: 'failed'; readonly id: number | undefined; readonly error: ThreadError }
