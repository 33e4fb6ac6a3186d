import { BURMESE, HANGUL, IDEOGRAPH, KHMER } from './character-class.js'
import { cut, fold } from './fold.js'
import { GRAM, type Sink } from './term.js'

/** Text that is analysed in one go: some milliseconds of work. */
const MOST_CHARACTERS = 16_384

/** A part of a text, and where it begins, in UTF-16 units. */
interface TextPart {
  readonly start: number
  readonly text: string
}

/**
 * Parts of a text that end at white space, which is in no term: together they have the terms of the whole. A text
 * without any white space is one part, however long.
 */
export function* textParts(text: string): Generator<TextPart> {
  const space = /\s/g
  for (let start = 0; start < text.length; ) {
    space.lastIndex = start + MOST_CHARACTERS
    const end = space.exec(text)?.index ?? text.length
    yield { start, text: text.slice(start, end) }
    start = end
  }
}

/** A character as readers see it. */
interface Unit {
  readonly term: string
  readonly start: number
  readonly end: number
}

/** Characters that are folded already, each of one UTF-16 unit and without marks. */
const PLAIN = /^(?:[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]+|[\uac00-\ud7a3]+)$/
/** Marks of one character that count: to fold more of them takes the square of their number. */
const MOST_MARKS = 32
const FOLLOWING = '\\p{M}\\p{Cf}\\u1160-\\u11ff\\uff9e\\uff9f'
const CLUSTER = new RegExp(`[^${FOLLOWING}][${FOLLOWING}]*|[${FOLLOWING}]+`, 'gu')
/** A sign that stacks the next letter binds it, too. */
const KHMER_CLUSTER = /\P{M}(?:\u17d2\P{M}|[\p{M}\p{Cf}])*|\p{M}+/gu
const BURMESE_CLUSTER = /\P{M}(?:\u1039\P{M}|[\p{M}\p{Cf}])*|\p{M}+/gu
const HIRAGANA = /^[\u3041-\u309f]/
const KATAKANA = /^[\u30a0-\u30ff\u31f0-\u31ff]/

/**
 * Terms of a run of one script without spaces: each pair of neighbouring characters, and characters alone where a
 * character is often a word. No dictionary: those of two platforms, or two versions of one, cut the same text
 * differently, and pairs find as well (xquad-zh, JaQuAD, xquad-th, KorQuAD).
 *
 * Hangul is written with spaces, but its words have endings: pairs find the word under them. The first character of
 * each run is a term, for words of one syllable.
 */
export function scanUnspaced(text: string, start: number, end: number, script: number, sink: Sink): void {
  const units = unitsOf(text, start, end, script)
  for (const [index, unit] of units.entries()) {
    const before = units[index - 1]
    const next = units[index + 1]
    if (isAlone(unit, before, next, script)) sink(cut(unit.term), unit.start, unit.end, GRAM)
    if (next !== undefined) sink(cut(unit.term + next.term), unit.start, next.end, GRAM)
  }
}

function unitsOf(text: string, start: number, end: number, script: number): Unit[] {
  const run = text.slice(start, end)
  const units: Unit[] = []
  if (PLAIN.test(run)) {
    for (let at = start; at < end; at++) units.push({ term: text.charAt(at), start: at, end: at + 1 })
    return units
  }
  const cluster = script === KHMER ? KHMER_CLUSTER : script === BURMESE ? BURMESE_CLUSTER : CLUSTER
  for (const { 0: characters, index } of run.matchAll(cluster)) {
    const term = fold(characters.slice(0, characters.length > MOST_MARKS ? MOST_MARKS : undefined))
    if (term !== '') units.push({ term, start: start + index, end: start + index + characters.length })
  }
  return units
}

/** Whether a character is a term by itself: an ideograph, the first of Hangul, and what has no neighbour of its script. */
function isAlone(unit: Unit, before: Unit | undefined, next: Unit | undefined, script: number): boolean {
  if (script === HANGUL) return before === undefined
  if (script !== IDEOGRAPH) return before === undefined && next === undefined
  const kana = HIRAGANA.test(unit.term) ? HIRAGANA : KATAKANA
  if (!kana.test(unit.term)) return true
  return !(before !== undefined && kana.test(before.term)) && !(next !== undefined && kana.test(next.term))
}
