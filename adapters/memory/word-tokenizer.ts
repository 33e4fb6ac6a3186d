import type { Encoding, Tokenizer, WordSpans } from '../../src/ports/index.js'

/** Longest token, in code points. A longer word is cut into several tokens. */
const MAX_TOKEN_CHARACTERS = 20
/** A word has at most 240 code points: a multiple of the longest token, and never more than 512 UTF-16 units. */
const WORD = /[\p{L}\p{N}\p{M}]{1,240}|[^\s\p{L}\p{N}\p{M}]/gu

/** A tokenizer without a vocabulary. Tokens are words, and parts of long words. */
export class WordTokenizer implements Tokenizer {
  readonly specialTokens = 2

  split(text: string): WordSpans {
    const words = [...text.matchAll(WORD)]
    return {
      count: words.length,
      starts: Uint32Array.from(words, ({ index }) => index),
      ends: Uint32Array.from(words, ({ 0: word, index }) => index + word.length),
      tokens: Uint16Array.from(words, ({ 0: word }) => splitWord(word).length),
    }
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
