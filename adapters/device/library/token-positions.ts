import { type NormalizedWord, normalizeParts } from '../normalized-word.js'
import type { WordTokens } from './tokenizer-protocol.js'

/** Marks that vocabularies add to a piece: the start of a word, the continuation of one, the end of one. */
const MARKS = /^(▁|##)|<\/w>$/g
const BYTES = /^[\u0021-\u007E\u00A1-\u0143]+$/

/**
 * Finds the positions of the tokens of a word, which the library does not give. A token whose text is not in the word,
 * such as the unknown token, takes all up to the next token that is.
 *
 * @param pieces the tokens, as the vocabulary writes them
 * @param isOfBytes true for a vocabulary of bytes, whose pieces have a character for each byte
 */
export function placeTokens(
  word: string,
  pieces: readonly string[],
  ids: readonly number[],
  isOfBytes: boolean,
  normalize: (text: string) => string,
): WordTokens {
  const isPlain = isOfBytes && pieces.every((piece) => BYTES.test(piece))
  const normalized = isPlain ? toBytes(word) : normalizeWord(word, normalize)
  const surfaces = isPlain ? withoutSpaceByte(pieces, normalized) : pieces.map((piece) => piece.replaceAll(MARKS, ''))
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  surfaces.forEach((surface, index) => {
    const isThere = isPlain || normalized.text.startsWith(surface, at)
    const to = isThere ? at + surface.length : nextPlace(normalized.text, surfaces.slice(index + 1), at)
    const start = offsetAt(normalized, at, word.length)
    starts.push(start)
    ends.push(to > at ? Math.max(start, normalized.ends[Math.min(to, normalized.text.length) - 1] ?? start) : start)
    at = Math.min(to, normalized.text.length)
  })
  return { ids, starts, ends }
}

function offsetAt({ starts }: NormalizedWord, at: number, end: number): number {
  return starts[at] ?? end
}

/** The end of an unknown token: where the next piece is; one character if that one is unknown too. */
function nextPlace(text: string, next: readonly string[], at: number): number {
  const [surface] = next
  if (surface === undefined) return text.length
  const found = text.indexOf(surface, at + 1)
  return found === -1 ? at + String.fromCodePoint(text.codePointAt(at) ?? 0).length : found
}

/** Each character of the result is one byte of the word. */
function toBytes(word: string): NormalizedWord {
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  for (const character of word) {
    const bytes = Buffer.byteLength(character)
    starts.push(...new Array<number>(bytes).fill(at))
    ends.push(...new Array<number>(bytes).fill(at + character.length))
    at += character.length
  }
  return { text: '.'.repeat(starts.length), starts, ends }
}

/** The first piece may have the byte of the space before the word. */
function withoutSpaceByte(pieces: readonly string[], { text }: NormalizedWord): readonly string[] {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const [first = '', ...others] = pieces
  return bytes > text.length && first.startsWith('Ġ') ? [first.slice(1), ...others] : pieces
}

function normalizeWord(word: string, normalize: (text: string) => string): NormalizedWord {
  const normalizePart = (part: string): string => withoutSpace(normalize(part))
  const characters = normalizeParts(word, normalizePart)
  // A normaliser may compose characters, such as a letter and its accent.
  if (characters.text === normalizePart(word)) return characters
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(word)
  return normalizeParts(
    Array.from(graphemes, ({ segment }) => segment),
    normalizePart,
  )
}

/** Some normalisers put spaces around Han characters; no token has them. */
function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, '')
}
