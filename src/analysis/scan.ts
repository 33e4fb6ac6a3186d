import { BREAK, classAt, HANGUL, IGNORED, JOINER, LETTER, PICTURE } from './character-class.js'
import { scanCompound } from './compound.js'
import { cut } from './fold.js'
import { SIGN, type Sink, WORD } from './term.js'
import { scanUnspaced } from './text-parts.js'

/** What belongs to the word before it: "C#", "C++". */
const SIGNS = new Set('#+\uff03\uff0b')

/**
 * Gives all terms of a text to a sink, in order of their beginnings.
 * What stands between white space, or other characters that break, is scanned by itself: no term depends on its neighbours.
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
        sink(cut(text.slice(at, wordEnd).toLowerCase()), at, wordEnd, WORD)
        at = wordEnd
        continue
      }
    }
    at = scanStretch(text, at, sink)
  }
}

/**
 * The end of a word of ASCII letters that is no part of an identifier: one that white space or punctuation ends, in
 * lower case, or with a capital at its beginning. Most words of most texts, made short work of. `from`, if it is none.
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
  if (SIGNS.has(text.charAt(at))) return from
  return at + 1 === text.length || classAt(text, at + 1) === BREAK ? at : from
}

function isLower(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

/** Scans what stands up to the next character that breaks, and returns where it ends. */
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
    const runEnd = endOfRun(text, at, kind)
    if (kind >= HANGUL) scanUnspaced(text, at, runEnd, kind, sink)
    else scanCompound(text, at, runEnd, sink)
    at = runEnd
  }
  return at
}

/** The end of a run of one script without spaces, or of a run of everything else. */
function endOfRun(text: string, from: number, kind: number): number {
  let at = from
  while (at < text.length) {
    const next = classAt(text, at)
    const isOfRun = kind >= HANGUL ? next === kind || next === IGNORED : next !== BREAK && next < PICTURE
    if (!isOfRun) break
    at += widthAt(text, at)
  }
  return at
}

/** UTF-16 units of the character at an index. */
function widthAt(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
}
