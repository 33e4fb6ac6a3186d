import {
  BREAK,
  BURMESE,
  classAt,
  DIGIT,
  HANGUL,
  IDEOGRAPH,
  IGNORED,
  JOINER,
  KHMER,
  LETTER,
  PICTURE,
} from './character-class.js'
import { scanCompound } from './compound.js'
import { hangulStemLength, isHangulQuestionWord } from './hangul.js'
import {
  ASKING_GRAM,
  fold,
  GRAM,
  plainTerm,
  SIGN,
  type Sink,
  START_MARK,
  type TermKind,
  truncate,
  WORD,
} from './term.js'

/** Signs that belong to the word before them: "C#", "C++". */
const WORD_SIGNS = new Set('#+\uff03\uff0b')

/**
 * Passes all terms of a text to a sink, in the order of their starts. The scan handles each stretch between breaking
 * characters, such as white space, by itself: no term depends on other stretches.
 */
export function scan(text: string, sink: Sink): void {
  const end = text.length
  let at = 0
  while (at < end) {
    const first = classAt(text, at)
    if (first === BREAK) {
      at += widthAt(text, at)
      continue
    }
    const plainEnd = first === LETTER ? plainWordEnd(text, at) : first === DIGIT ? plainNumberEnd(text, at) : at
    if (plainEnd === at) at = scanStretch(text, at, sink)
    else {
      if (first === LETTER) sink(plainTerm(text, at, plainEnd), at, plainEnd, WORD)
      else sink(truncate(text.slice(at, plainEnd)), at, plainEnd, WORD)
      at = plainEnd
    }
  }
}

/**
 * A fast path for most words of most texts. It takes words of ASCII letters in lower case, with or without a capital at
 * the start. White space or punctuation must end them, and they must not be part of an identifier.
 *
 * @returns the end of the word; `from` if there is no such word
 */
function plainWordEnd(text: string, from: number): number {
  const first = text.charCodeAt(from)
  if (!isLower(first | 0x20) || first > 0x7a) return from
  let at = from + 1
  while (at < text.length && isLower(text.charCodeAt(at))) at++
  return endsPlainly(text, at) ? at : from
}

/** The same for a number of ASCII digits. @returns the end of the number; `from` if there is none */
function plainNumberEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && isDigit(text.charCodeAt(at))) at++
  return endsPlainly(text, at) ? at : from
}

/** True if white space or punctuation ends a word or a number at an index: it is no part of an identifier. */
function endsPlainly(text: string, at: number): boolean {
  if (at === text.length) return true
  const next = classAt(text, at)
  if (next !== JOINER || WORD_SIGNS.has(text.charAt(at))) return next === BREAK
  return at + 1 === text.length || classAt(text, at + 1) === BREAK
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}

function isLower(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

/** Scans the text up to the next breaking character, or to the end of the next picture. @returns the end of the scan */
function scanStretch(text: string, from: number, sink: Sink): number {
  let at = from
  while (at < text.length) {
    const kind = classAt(text, at)
    if (kind === BREAK) return at
    if (kind === PICTURE) {
      const next = at + widthAt(text, at)
      sink(text.slice(at, next), at, next, SIGN)
      return next
    }
    const runEnd = findRunEnd(text, at, kind)
    if (kind >= HANGUL) scanUnspaced(text, at, runEnd, kind, sink)
    else scanCompound(text, at, runEnd, sink)
    at = runEnd
  }
  return at
}

/** @returns the end of a run of one script without spaces, or of a run of all other characters */
function findRunEnd(text: string, from: number, kind: number): number {
  let at = from
  while (at < text.length) {
    const next = classAt(text, at)
    const isInRun = kind >= HANGUL ? next === kind || next === IGNORED : next !== BREAK && next < PICTURE
    if (!isInRun) break
    at += widthAt(text, at)
  }
  return at
}

/** @returns the number of UTF-16 units of the character at an index: 1 or 2 */
function widthAt(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
}

/** A character as readers see it: a base character with its marks. */
interface Character {
  /** The folded text. */
  readonly term: string
  readonly start: number
  readonly end: number
}

/** Text that is folded already, and whose characters have one UTF-16 unit and no marks. */
const PLAIN = /^(?:[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]+|[\uac00-\ud7a3]+)$/
/**
 * Maximum UTF-16 units of a character that are folded: the time to fold marks grows with the square of their number.
 */
const MAX_CHARACTER_LENGTH = 32
const FOLLOWING = '\\p{M}\\p{Cf}\\u1160-\\u11ff\\uff9e\\uff9f'
const CLUSTER = new RegExp(`[^${FOLLOWING}][${FOLLOWING}]*|[${FOLLOWING}]+`, 'gu')
/** The sign that stacks the next letter joins that letter to the character too. */
const KHMER_CLUSTER = /\P{M}(?:\u17d2\P{M}|[\p{M}\p{Cf}])*|\p{M}+/gu
const BURMESE_CLUSTER = /\P{M}(?:\u1039\P{M}|[\p{M}\p{Cf}])*|\p{M}+/gu
const HIRAGANA = /^[\u3041-\u309f]/
const KATAKANA = /^[\u30a0-\u30ff\u31f0-\u31ff]/

/**
 * Scans a run of one script without spaces. The terms are all pairs of neighbouring characters, and single characters
 * in scripts where one character is often a word.
 *
 * The scan uses no dictionary: dictionaries of two platforms, or of two versions, cut the same text differently, and
 * pairs find as well (measured with xquad-zh, JaQuAD, xquad-th and KorQuAD).
 *
 * Hangul has spaces, but its words have particles and endings: pairs find the word without them. A common particle makes
 * no terms. The first character of each run is a term too, for words of one syllable. The first pair is one more term,
 * which tells the beginning of a word from its middle.
 */
function scanUnspaced(text: string, start: number, end: number, script: number, sink: Sink): void {
  const characters = splitCharacters(text, start, end, script)
  if (script === HANGUL) scanHangul(characters, sink)
  else scanPairs(characters, script, GRAM, sink)
}

function scanHangul(characters: readonly Character[], sink: Sink): void {
  const word = characters.map(({ term }) => term).join('')
  const isPlain = word.length === characters.length
  const kind = isPlain && isHangulQuestionWord(word) ? ASKING_GRAM : GRAM
  const [first, second] = characters
  if (first !== undefined && second !== undefined) {
    sink(truncate(START_MARK + first.term + second.term), first.start, second.end, kind)
  }
  scanPairs(isPlain ? characters.slice(0, hangulStemLength(word)) : characters, HANGUL, kind, sink)
}

function scanPairs(characters: readonly Character[], script: number, kind: TermKind, sink: Sink): void {
  for (const [index, character] of characters.entries()) {
    const before = characters[index - 1]
    const next = characters[index + 1]
    if (isTermAlone(character, before, next, script))
      sink(truncate(character.term), character.start, character.end, kind)
    if (next !== undefined) sink(truncate(character.term + next.term), character.start, next.end, kind)
  }
}

function splitCharacters(text: string, start: number, end: number, script: number): Character[] {
  const run = text.slice(start, end)
  const characters: Character[] = []
  if (PLAIN.test(run)) {
    for (let at = start; at < end; at++) characters.push({ term: text.charAt(at), start: at, end: at + 1 })
    return characters
  }
  const cluster = script === KHMER ? KHMER_CLUSTER : script === BURMESE ? BURMESE_CLUSTER : CLUSTER
  for (const { 0: matched, index } of run.matchAll(cluster)) {
    const term = fold(matched.slice(0, matched.length > MAX_CHARACTER_LENGTH ? MAX_CHARACTER_LENGTH : undefined))
    if (term !== '') characters.push({ term, start: start + index, end: start + index + matched.length })
  }
  return characters
}

/** True for an ideograph, the first character of a run of Hangul, and a character without a neighbour of its script. */
function isTermAlone(
  character: Character,
  before: Character | undefined,
  next: Character | undefined,
  script: number,
): boolean {
  if (script === HANGUL) return before === undefined
  if (script !== IDEOGRAPH) return before === undefined && next === undefined
  const kana = HIRAGANA.test(character.term) ? HIRAGANA : KATAKANA
  if (!kana.test(character.term)) return true
  return !(before !== undefined && kana.test(before.term)) && !(next !== undefined && kana.test(next.term))
}

/** Minimum size of a part in UTF-16 units, except the last one: some milliseconds of analysis. */
const MIN_PART_LENGTH = 16_384

/** A part of a text. */
interface TextPart {
  /** Offset in the text, in UTF-16 units. */
  readonly start: number
  readonly text: string
}

/**
 * Splits a text into parts at white space. No term has white space, so the parts together have the terms of the whole.
 * A text without white space is one part, however long it is.
 */
export function* textParts(text: string): Generator<TextPart> {
  const space = /\s/g
  for (let start = 0; start < text.length; ) {
    space.lastIndex = start + MIN_PART_LENGTH
    const end = space.exec(text)?.index ?? text.length
    yield { start, text: text.slice(start, end) }
    start = end
  }
}
