import type { Encoding, Tokenizer, WordSpans } from '../../src/ports/index.js'

/** Longest token; longer words are cut into several. */
const MAX_CHARACTERS = 20
/** Longest word in code points: a whole number of longest tokens, and never more than 512 UTF-16 units. */
const WORD = /[\p{L}\p{N}\p{M}]{1,240}|[^\s\p{L}\p{N}\p{M}]/gu

/** Tokens are words, and parts of long ones: what a tokenizer must do, without a vocabulary. */
export class WordTokenizer implements Tokenizer {
  readonly specialTokens = 2

  split(text: string): WordSpans {
    const words = [...text.matchAll(WORD)]
    return {
      count: words.length,
      starts: Uint32Array.from(words, ({ index }) => index),
      ends: Uint32Array.from(words, ({ 0: word, index }) => index + word.length),
      tokens: Uint16Array.from(words, ({ 0: word }) => partsOf(word).length),
    }
  }

  encode(text: string): Encoding {
    const { count, starts, ends } = this.split(text)
    const ids: number[] = []
    const tokenStarts: number[] = []
    const tokenEnds: number[] = []
    for (let word = 0; word < count; word += 1) {
      let at = starts[word] ?? 0
      for (const part of partsOf(text.slice(at, ends[word]))) {
        ids.push(hash(part.toLowerCase()))
        tokenStarts.push(at)
        at += part.length
        tokenEnds.push(at)
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

function partsOf(word: string): string[] {
  const characters = Array.from(word)
  const parts: string[] = []
  for (let at = 0; at < characters.length; at += MAX_CHARACTERS) {
    parts.push(characters.slice(at, at + MAX_CHARACTERS).join(''))
  }
  return parts
}

/** FNV-1a, so that equal words have equal ids without a vocabulary. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value & 0x7fffffff
}
