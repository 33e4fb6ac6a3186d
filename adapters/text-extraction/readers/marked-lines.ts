import { MarkedText } from './marks.js'
import type { ReaderPiece } from './reader-piece.js'

const PIECE_CHARACTERS = 65_536

/** Lines of text, with marks at the pages and headings that begin in them. */
export class MarkedLines {
  readonly #text = new MarkedText()
  /** Marks of the next line. */
  #nextMarks: (() => void)[] = []
  /** The heading that the next line brings with it. */
  #nextHeading: { readonly text: string; readonly level: number } | undefined
  /** The line breaks before the next line. */
  #breaks = 0
  #hasText = false
  #lines = 0

  /** The number of lines that were added. */
  get lines(): number {
    return this.#lines
  }

  /** Adds a line, which may contain line breaks. An empty one leaves a gap. */
  add(line: string): void {
    const text = line.trimEnd()
    if (text === '') {
      this.leaveGap()
      return
    }
    const section = this.#nextHeading
    this.#nextHeading = undefined
    if (section !== undefined) this.heading(section.text, section.level)
    if (this.#hasText) this.#text.add('\n'.repeat(this.#breaks))
    this.#setMarks()
    this.#text.add(text)
    this.#hasText = true
    this.#lines += 1
    this.#breaks = 1
  }

  /** Adds a line that may be a heading. @param level the level of the heading; `undefined` if the line is none */
  addHeading(line: string, level: number | undefined): void {
    const text = line.trimEnd()
    if (level !== undefined && text !== '') this.#nextMarks.push(() => this.#text.markHeading(text, level))
    this.add(text)
  }

  /** Puts an empty line before the next line. Any number of gaps becomes one empty line. */
  leaveGap(): void {
    this.#breaks = 2
  }

  /** Adds a heading as a paragraph of its own. */
  heading(text: string, level: number): void {
    this.mark(text, level)
    this.add(text)
    this.leaveGap()
  }

  /** Begins a section with the next line. Its heading is not part of the text. */
  mark(heading: string, level: number): void {
    this.leaveGap()
    this.#nextMarks.push(() => {
      this.#text.markHeading(heading, level)
    })
  }

  /** Adds a heading together with the next line: a section without lines has no heading. */
  beginSection(text: string, level: number): void {
    this.#nextHeading = text.trim() === '' ? undefined : { text: text.trim(), level }
  }

  /** Begins a page, sheet or slide with the next line. */
  page(page: number): void {
    this.leaveGap()
    this.#nextMarks.push(() => {
      this.#text.markPage(page)
    })
  }

  /** Yields the text so far if it is long enough for a piece. */
  *longPieces(): Generator<ReaderPiece> {
    if (this.#text.length >= PIECE_CHARACTERS) yield* this.#text.take(PIECE_CHARACTERS)
  }

  /** Yields all text and marks so far. */
  *pieces(): Generator<ReaderPiece> {
    this.#setMarks()
    yield* this.#text.take(PIECE_CHARACTERS)
  }

  #setMarks(): void {
    for (const mark of this.#nextMarks) mark()
    this.#nextMarks = []
  }
}
