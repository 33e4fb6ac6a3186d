import type { Tokenizer } from '../../ports/index.js'
import { firstFalse } from './first-false.js'

/** A part of a word, by offsets in it. */
export interface WordPart {
  readonly start: number
  readonly end: number
  readonly tokens: number
}

/** Parts of a word that has too many tokens: the longest part that fits, again and again. */
export function* wordParts(word: string, tokenizer: Tokenizer, maxTokens: number): Generator<WordPart> {
  for (let start = 0; start < word.length; ) {
    const end = longestPart(word, start, tokenizer, maxTokens)
    yield { start, end, tokens: tokenizer.count(word.slice(start, end)) }
    start = end
  }
}

/** Where it ends; it has one character at least. */
function longestPart(word: string, from: number, tokenizer: Tokenizer, maxTokens: number): number {
  const borders: number[] = []
  for (let at = from; at < word.length; ) {
    at += (word.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
    borders.push(at)
  }
  const fits = (border: number): boolean => tokenizer.count(word.slice(from, borders[border])) <= maxTokens
  return borders[firstFalse(1, borders.length, fits) - 1] ?? word.length
}
