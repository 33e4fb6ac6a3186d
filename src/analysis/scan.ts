import { BREAK, classAt, HANGUL, IGNORED, JOINER, LETTER, PICTURE } from './character-class.js'
import { scanCompound } from './compound.js'
import { truncate } from './fold.js'
import { SIGN, type Sink, WORD } from './term.js'
import { scanUnspaced } from './text-parts.js'

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
    if (first === LETTER) {
      const wordEnd = plainWordEnd(text, at)
      if (wordEnd > at) {
        sink(truncate(text.slice(at, wordEnd).toLowerCase()), at, wordEnd, WORD)
        at = wordEnd
        continue
      }
    }
    at = scanStretch(text, at, sink)
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
  if (at === text.length) return at
  const next = classAt(text, at)
  if (next === BREAK) return at
  if (next !== JOINER) return from
  if (WORD_SIGNS.has(text.charAt(at))) return from
  return at + 1 === text.length || classAt(text, at + 1) === BREAK ? at : from
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
