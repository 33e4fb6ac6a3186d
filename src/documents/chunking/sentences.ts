import { BOUNDARY, rateBoundary } from './boundaries.js'

/** A part of a text, in UTF-16 units. */
interface Range {
  readonly start: number
  readonly end: number
}

/** Longest distance to the end of a sentence that is looked for, in UTF-16 units: less than a millisecond of work. */
const MAX_DISTANCE = 4_096
/** Narrower lines are rows, not the lines of a paragraph. */
const MIN_WRAPPED_WIDTH = 40
/** Share of the widest line that each line of a wrapped paragraph has. */
const MIN_FULL_SHARE = 0.85
/** Lines before and after a line break that tell if it belongs to a wrapped paragraph. */
const LINES_AROUND = 3

const SPACE = /\s/u
const LOWER_CASE = /\p{Ll}/u
const ROW = /^\s*\||\t/u
const LIST_ITEM = /^\s*(?:[-*+•·–—▪◦>]|\p{Nd}{1,3}[.)]|\p{L}[.)])\s/u
/** An abbreviation, an initial or the number of an item, such as "Dr.", "J." or "12.": the sentence goes on. */
const SHORT_BEFORE_DOT = /(?:^|[^\p{L}\p{N}])(?:\p{Lu}\p{L}{0,2}|\p{N}{1,2})\.$/u

/**
 * Widens a part of a text to whole sentences and rows. A row is a line of a table or a list, or a line that does not go on
 * in the next one. A sentence without an end within 4,096 units ends where the part does.
 */
export function wholeSentences(text: string, { start, end }: Range): Range {
  return { start: sentenceStart(text, start), end: sentenceEnd(text, Math.max(start + 1, end)) }
}

/** @returns the start of the sentence or row at an offset */
function sentenceStart(text: string, offset: number): number {
  let at = offset
  while (at < text.length - 1 && SPACE.test(text.charAt(at))) at += 1
  const earliest = Math.max(0, at - MAX_DISTANCE)
  for (; at > earliest; at -= 1) if (isStart(text, at)) return at
  return earliest === 0 ? 0 : offset
}

/** @returns the end of the sentence or row that has the unit before an offset */
function sentenceEnd(text: string, offset: number): number {
  const latest = Math.min(text.length, offset + MAX_DISTANCE)
  for (let at = offset; at < latest; at += 1) {
    if (isStart(text, at) && wordEnd(text, at) >= offset - 1) return wordEnd(text, at)
  }
  return latest === text.length ? wordEnd(text, text.length) : offset
}

/** @returns the end of the last word before an offset */
function wordEnd(text: string, offset: number): number {
  let end = offset
  while (end > 0 && SPACE.test(text.charAt(end - 1))) end -= 1
  return end
}

/** True if a sentence or a row starts at an offset. */
function isStart(text: string, at: number): boolean {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  // Fast path: most units follow a letter or sign of ASCII.
  if (before > 0x20 && before < 0x7f) return false
  const hasSpace = SPACE.test(text.charAt(at - 1))
  // Only scripts of which no unit is below U+2E80 end sentences without white space.
  if (SPACE.test(text.charAt(at)) || (!hasSpace && before < 0x2e80)) return false
  const end = wordEnd(text, at)
  const rate = rateBoundary(text, end, at)
  if (rate === BOUNDARY.line) return isRowBreak(text, end, at)
  if (rate !== BOUNDARY.sentence) return rate > BOUNDARY.sentence
  return !SHORT_BEFORE_DOT.test(text.slice(Math.max(0, end - 5), end))
}

/** True if a line break ends a row. False if it only wraps a paragraph. */
function isRowBreak(text: string, end: number, start: number): boolean {
  const before = linesBefore(text, end)
  const after = linesAfter(text, start)
  const [line = '', next = ''] = [before.at(-1), after[0]]
  if (ROW.test(line) || ROW.test(next) || LIST_ITEM.test(next)) return true
  const lines = [...before, ...after]
  const width = Math.max(...lines.map(({ length }) => length))
  if (width < MIN_WRAPPED_WIDTH) return true
  if (LOWER_CASE.test(next.charAt(0))) return false
  // Each line of a wrapped paragraph is about full: the first word of the next one has no room.
  const least = width * MIN_FULL_SHARE
  return lines.slice(0, -1).some((each, at) => each.length + 1 + firstWordLength(lines[at + 1] ?? '') < least)
}

function firstWordLength(line: string): number {
  return /\S+/u.exec(line)?.[0].length ?? 0
}

/** @returns the last lines of the paragraph before an offset */
function linesBefore(text: string, end: number): string[] {
  return paragraphLines(
    text
      .slice(Math.max(0, end - 1_024), end)
      .split(/\r?\n|\r/u)
      .reverse(),
  ).reverse()
}

/** @returns the first lines of the paragraph after an offset */
function linesAfter(text: string, start: number): string[] {
  return paragraphLines(text.slice(start, start + 1_024).split(/\r?\n|\r/u))
}

function paragraphLines(lines: readonly string[]): string[] {
  const blank = lines.findIndex((line) => line.trim() === '')
  return lines.slice(0, blank === -1 ? LINES_AROUND : Math.min(blank, LINES_AROUND)).map((line) => line.trim())
}
