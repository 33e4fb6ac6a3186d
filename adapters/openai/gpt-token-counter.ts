import { type TokenCounter, type WordSpans, wordSpansOf } from '../../src/ports/index.js'
import { isCode } from '../node-kit/index.js'

/** A word as the vocabulary's own pattern cuts it, without the white space in front of it, and of a limited length. */
const WORD = /[\p{L}\p{M}]{1,240}|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}]{1,240}/gu

/** Counts of words that memory keeps. Texts repeat most of their words. */
const MAX_CACHED = 50_000

type CountTokens = (text: string, options: { readonly allowedSpecial: 'all' | Set<string> }) => number

/** A special token in a document, such as `<|endoftext|>`, is plain text. */
const NO_SPECIAL = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/**
 * Counts the tokens of OpenAI's embedding models with the package `gpt-tokenizer`. The first call reads the vocabulary
 * in about 0.2 s. The event loop waits for half of that, because the vocabulary is one module: no entry of the package
 * is lighter. So models are opened when a process starts.
 *
 * A token may begin with the space in front of a word. So a word counts as the larger of its tokens with that space and
 * without it. White space of more than one character is not counted.
 *
 * @returns undefined if the package is not installed
 */
export async function loadGptTokenCounter(): Promise<TokenCounter | undefined> {
  try {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base')
    return new GptTokenCounter(countTokens)
  } catch (error) {
    if (isCode(error, 'ERR_MODULE_NOT_FOUND')) return undefined
    throw error
  }
}

class GptTokenCounter implements TokenCounter {
  /** The server adds one at most. */
  readonly specialTokens = 1
  readonly #countTokens: CountTokens
  readonly #cache = new Map<string, number>()

  constructor(countTokens: CountTokens) {
    this.#countTokens = countTokens
  }

  split(text: string): WordSpans {
    return wordSpansOf(text.matchAll(WORD), ([word]) => this.#tokensOf(word))
  }

  count(text: string): number {
    let count = 0
    for (const [word] of text.matchAll(WORD)) count += this.#tokensOf(word)
    return count
  }

  #tokensOf(word: string): number {
    const cached = this.#cache.get(word)
    if (cached !== undefined) return cached
    const count = Math.max(this.#countTokens(word, NO_SPECIAL), this.#countTokens(` ${word}`, NO_SPECIAL))
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(word, count)
    return count
  }
}
