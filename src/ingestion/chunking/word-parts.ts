import type { Tokenizer } from '../../ports/index.js'

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
  let low = 0
  for (let high = borders.length - 1; low < high; ) {
    const middle = Math.ceil((low + high) / 2)
    if (tokenizer.count(word.slice(from, borders[middle])) <= maxTokens) low = middle
    else high = middle - 1
  }
  return borders[low] ?? word.length
}
