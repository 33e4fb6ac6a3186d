import { type TokenCounter, type WordSpans, wordSpansOf } from './embedding-model.js'

/**
 * A word of one kind of characters, of at most 480 UTF-16 units: letters of an alphabet with their marks, digits, or one
 * other character. Han, kana, and the scripts of South-East Asia have no spaces, so each of their letters is a word.
 */
const WORD =
  /(?<ascii>[A-Za-z]{1,240})|(?<single>[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])|(?<hangul>\p{sc=Hang}{1,240})|(?<european>[\p{sc=Latin}\p{sc=Cyrl}\p{sc=Grek}]{1,240})|(?<letters>[\p{L}\p{M}]{1,240})|(?<digits>\p{Nd}{1,240})|(?<sign>[^\s\p{L}\p{M}\p{Nd}])|(?<other>\S)/gu

/** Letters of a token in words of ASCII letters, and in words of other European letters. */
const [LETTERS_OF_ASCII, LETTERS_OF_EUROPEAN] = [4, 2]
/** Tokens of a letter of Hangul, which small vocabularies cut into its parts. */
const TOKENS_OF_HANGUL = 2

/**
 * Estimates the tokens of a text without the model's vocabulary. For the languages of a model, the estimate is seldom
 * below the truth: the tests compare it with three vocabularies.
 *
 * A word of ASCII letters counts a token for each 4 letters, another word of Latin, Cyrillic or Greek letters one for
 * each 2. A letter of Hangul counts 2. Each other letter, digit or sign is a token, and an emoji is 3 tokens.
 */
export class EstimatingTokenCounter implements TokenCounter {
  /** The tokens at the start and the end. No known model adds more than two. */
  readonly specialTokens = 2

  split(text: string): WordSpans {
    return wordSpansOf(text.matchAll(WORD), tokensOf)
  }

  count(text: string): number {
    const words = new RegExp(WORD)
    let [count, at] = [0, 0]
    while (at < text.length) {
      // The expression takes a microsecond for a word, which is long for the chats of a prompt.
      const ascii = countAscii(text, at)
      count += ascii.tokens
      words.lastIndex = ascii.end
      const word = ascii.end < text.length ? words.exec(text) : null
      if (word === null) break
      count += tokensOf(word)
      at = words.lastIndex
    }
    return count
  }
}

const [SPACE, TAB, CARRIAGE_RETURN, DELETE] = [32, 9, 13, 127]

/**
 * Counts the words of ASCII characters from a place to the next other character, as {@link WORD} does.
 * @param start the start of a word, or a place between words
 */
function countAscii(text: string, start: number): { readonly tokens: number; readonly end: number } {
  let [tokens, letters, end] = [0, 0, start]
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code > DELETE) break
    if (isAsciiLetter(code)) {
      if (letters % LETTERS_OF_ASCII === 0) tokens += 1
      letters += 1
    } else {
      letters = 0
      if (code !== SPACE && (code < TAB || code > CARRIAGE_RETURN)) tokens += 1
    }
  }
  return { tokens, end }
}

function isAsciiLetter(code: number): boolean {
  // The bit of 32 is the difference between a capital and a small letter.
  const small = code | SPACE
  return small >= 97 && small <= 122
}

function tokensOf({ 0: word, groups = {} }: RegExpExecArray): number {
  if (groups['ascii'] !== undefined) return Math.ceil(word.length / LETTERS_OF_ASCII)
  if (groups['european'] !== undefined) return Math.ceil(word.length / LETTERS_OF_EUROPEAN)
  if (groups['hangul'] !== undefined) return word.length * TOKENS_OF_HANGUL
  if (groups['letters'] !== undefined || groups['digits'] !== undefined) return word.length
  return word.length > 1 ? 3 : 1
}
