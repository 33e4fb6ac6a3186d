import type { HeadingMark, StructureMark } from '../../../src/ports/index.js'
import { pieceEnd, storable } from './pieces.js'
import type { ReaderPiece } from './reader-piece.js'

/** Longest heading of a mark, in UTF-16 units. */
const MAX_HEADING_CHARACTERS = 200
/** The level of the innermost headings. */
const MAX_LEVEL = 9

/** The text of a heading for a mark: one line of at most 200 characters. @returns '' if it has no text */
export function headingText(text: string): string {
  // A heading may be as long as a file: only its beginning counts.
  const line = storable(text.slice(0, MAX_HEADING_CHARACTERS * 8))
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  if (line.length <= MAX_HEADING_CHARACTERS) return line
  return `${line.slice(0, MAX_HEADING_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A mark for a heading. @returns none if the heading has no text */
export function headingMarks(at: number, text: string, level: number): HeadingMark[] {
  const heading = headingText(text)
  if (heading === '') return []
  return [{ at, heading, level: Number.isNaN(level) ? 1 : Math.min(MAX_LEVEL, Math.max(0, Math.round(level))) }]
}

/** A mark for the end of the sections of a level and those below, where no heading begins. */
export function sectionEnd(at: number, level: number): HeadingMark {
  return { at, heading: '', level }
}

/** The text of a reader, with the pages and headings that begin in it, until the reader yields it. */
export class MarkedText {
  #text = ''
  #marks: StructureMark[] = []

  /** The number of characters that are not taken yet. */
  get length(): number {
    return this.#text.length
  }

  add(text: string): void {
    this.#text += text
  }

  /** Marks the beginning of a page, sheet or slide, from 1, at the end of the text so far. */
  markPage(page: number): void {
    this.#marks.push({ at: this.#text.length, page })
  }

  /** Marks the beginning of a section at the end of the text so far. Call it before {@link add} receives the heading. */
  markHeading(heading: string, level: number): void {
    this.#marks.push(...headingMarks(this.#text.length, heading, level))
  }

  /** Yields the text with its marks in pieces of at most `maxCharacters`, and forgets it. */
  *take(maxCharacters: number): Generator<ReaderPiece> {
    const piece = { text: storable(this.#text), marks: this.#marks }
    this.#text = ''
    this.#marks = []
    if (piece.text !== '' || piece.marks.length > 0) yield* cutPiece(piece, maxCharacters)
  }
}

/** The most marks of one piece: a message with them is small. */
const MAX_PIECE_MARKS = 1_024

/**
 * Cuts a piece into pieces with at most `maxCharacters` characters and 1,024 marks each, never inside a code point. The
 * last one has the other members of the piece.
 */
export function* cutPiece({ text, marks = [], ...others }: ReaderPiece, maxCharacters: number): Generator<ReaderPiece> {
  let start = 0
  let first = 0
  for (;;) {
    let end = pieceEnd(text, start, maxCharacters)
    let after = first
    const lastAt = end === text.length ? end : end - 1
    while (after - first < MAX_PIECE_MARKS && (marks[after]?.at ?? Infinity) <= lastAt) after += 1
    const next = marks[after]
    if (next !== undefined && next.at < end) end = pieceEnd(text, start, next.at - start)
    const own = marks.slice(first, after).map((mark) => ({ ...mark, at: mark.at - start }))
    const piece = { text: text.slice(start, end), ...(own.length > 0 && { marks: own }) }
    if (end === text.length && next === undefined) {
      yield { ...others, ...piece }
      return
    }
    yield piece
    start = end
    first = after
  }
}

/** Marks that a file may have without any text. */
const FREE_MARKS = 1_000
/** The least characters of text for each further mark: a heading in Markdown has at least these. */
const CHARACTERS_PER_MARK = 4

/**
 * Limits the marks of a reader to those that a file can mean: in the order of the text, pages that ascend, and about one
 * heading for four characters. A hostile file may name a million sections at one place.
 */
export class MarkLimit {
  #characters = 0
  #count = 0
  #page = 0

  /** Receives the pieces of a file in their order. @returns the piece without the marks that break a rule */
  limit(piece: ReaderPiece): ReaderPiece {
    const { marks, ...others } = piece
    const before = this.#characters
    this.#characters += piece.text.length
    if (marks === undefined) return piece
    const kept: StructureMark[] = []
    for (const mark of marks) {
      const at = Math.min(piece.text.length, Math.max(mark.at, kept.at(-1)?.at ?? 0))
      if (this.#count >= FREE_MARKS + (before + at) / CHARACTERS_PER_MARK) continue
      if ('page' in mark) {
        if (mark.page <= this.#page) continue
        this.#page = mark.page
        kept.push({ at, page: mark.page })
      } else {
        kept.push(...(mark.heading === '' ? [{ ...mark, at }] : headingMarks(at, mark.heading, mark.level)))
      }
      this.#count += 1
    }
    return kept.length === 0 ? others : { ...others, marks: kept }
  }
}
