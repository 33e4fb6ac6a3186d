import { BURMESE, HANGUL, IDEOGRAPH, KHMER } from './character-class.js'
import { fold, truncate } from './fold.js'
import { GRAM, type Sink } from './term.js'

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
 * Hangul has spaces, but its words have endings: pairs find the word without its ending. The first character of each
 * run is a term too, for words of one syllable.
 */
export function scanUnspaced(text: string, start: number, end: number, script: number, sink: Sink): void {
  const characters = splitCharacters(text, start, end, script)
  for (const [index, character] of characters.entries()) {
    const before = characters[index - 1]
    const next = characters[index + 1]
    if (isTermAlone(character, before, next, script))
      sink(truncate(character.term), character.start, character.end, GRAM)
    if (next !== undefined) sink(truncate(character.term + next.term), character.start, next.end, GRAM)
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
