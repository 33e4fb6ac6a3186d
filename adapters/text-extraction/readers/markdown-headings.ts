import type { StructureMark } from '../../../src/ports/index.js'
import { fileTitle, titleMarks } from './file-title.js'
import { headingMarks, sectionEnd } from './marks.js'
import type { ReaderPiece } from './reader-piece.js'

/** A longer line is no heading, and is not held back. */
const MAX_LINE = 4_096
/** A longer paragraph above a line of hyphens is text, not a heading. */
const MAX_PARAGRAPH = 400
/** Only so much of a heading is freed from its signs. */
const MAX_INLINE = 1_000
/** Front matter is short. Without its end, the text is Markdown from here on. */
const MAX_FRONT_MATTER_LINES = 500

const FRONT_MATTER_TITLE = /^title:[ \t]/i

const LINE_END = /\r\n?|\n/g
const ATX = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const ATX_END = /(?:^|[ \t])#+$/
const RULE = /^ {0,3}(?:-[ \t]*){3,}$/
const UNDERLINE = /^ {0,3}(?:(?<first>=+)|-+)[ \t]*$/
const ITEM = /^ {0,3}(?:>|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/
/** A fence of code, which may begin in a quote or an item of a list. */
const FENCE = /^(?<prefix>[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)*>?[ \t]*)(?<fence>`{3,}(?!.*`)|~{3,})/
/** A line that is no text of a paragraph: an item, a quote, a row of a table, indented code or a horizontal rule. */
const OTHER_BLOCK =
  /^(?: {4}|\t| {0,3}(?:>|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|\||<|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$))/
/** The line below the names of a table's columns. */
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
/** The level of the names of a table's columns: below all headings. */
const TABLE_LEVEL = 9
/** Raw HTML in which a line with a number sign is no heading, and its end. */
const HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:pre|script|style|textarea)(?:\s|>|$)/i, /<\/(?:pre|script|style|textarea)>/i],
]

interface Fence {
  readonly sign: string
  readonly length: number
  /** Columns in front of its content. A line with fewer is outside of the list that has the fence. */
  readonly indent: number
}

/**
 * Finds the headings of Markdown while its text arrives: lines with number signs, and paragraphs that are underlined.
 * Headings in code, raw HTML, quotes and lists do not count. The `title` of front matter is that of the file. The names of a table's columns are a heading of its rows.
 *
 * A scanner of lines, because the libraries keep the whole document: micromark, markdown-it, marked and commonmark build
 * all events or nodes before they return the first one. The scanner holds back a paragraph of some hundred characters.
 */
export class MarkdownHeadings {
  /** Text that is not yielded yet. */
  #text = ''
  /** Offset in `#text` at which the next line begins. */
  #next = 0
  #marks: StructureMark[] = []
  /** Offset of the open paragraph, if it may become a heading. */
  #paragraph: number | undefined
  /** True if lines of text precede that cannot become a heading. */
  #isInText = false
  /** True while a line goes on that is too long for a heading. */
  #isLongLine = false
  /** True after an item, until a line that is neither indented nor an item. */
  #isInList = false
  #line = 0
  /** The line above, if it may have the names of a table's columns. */
  #lineAbove = ''
  /** The names of the columns of a table whose first row may follow. */
  #columns: string | undefined
  #isInTable = false
  #isFrontMatter = false
  #fence: Fence | undefined
  #htmlEnd: RegExp | undefined

  /** @returns the text up to the first line that may still be a part of a heading, with its headings */
  push(text: string): ReaderPiece {
    this.#text += text
    // A line feed may follow a carriage return.
    this.#scan(this.#text.endsWith('\r') ? this.#text.length - 1 : this.#text.length)
    if (this.#text.length - this.#next > MAX_LINE) {
      this.#isLongLine = true
      this.#endParagraph()
      this.#next = this.#text.length
    }
    return this.#take(this.#paragraph ?? this.#next)
  }

  /** @returns the rest of the text */
  end(): ReaderPiece {
    this.#scan(this.#text.length)
    if (this.#next < this.#text.length) this.#read(this.#text.slice(this.#next), this.#next)
    return this.#take(this.#text.length)
  }

  #scan(end: number): void {
    LINE_END.lastIndex = this.#next
    for (
      let found = LINE_END.exec(this.#text);
      found !== null && found.index < end;
      found = LINE_END.exec(this.#text)
    ) {
      this.#read(this.#text.slice(this.#next, found.index), this.#next)
      this.#next = found.index + found[0].length
    }
  }

  #take(end: number): ReaderPiece {
    const piece = { text: this.#text.slice(0, end), ...(this.#marks.length > 0 && { marks: this.#marks }) }
    this.#text = this.#text.slice(end)
    this.#next = Math.max(0, this.#next - end)
    if (this.#paragraph !== undefined) this.#paragraph -= end
    this.#marks = []
    return piece
  }

  #read(line: string, at: number): void {
    this.#line += 1
    if (this.#isLongLine || line.length > MAX_LINE) {
      this.#isLongLine = false
      this.#endParagraph()
      this.#isInText = true
      this.#readTable('', at)
    } else if (this.#isInRaw(line)) {
      if (this.#isFrontMatter) this.#marks.push(...titleMarks(at, fileTitle(frontMatterTitle(line))))
      this.#readTable('', at)
    } else {
      this.#readTable(line, at)
      this.#readText(line, at)
    }
  }

  /** Marks the rows of a table with the names of its columns: a chunk of a long table may begin far below them. */
  #readTable(line: string, at: number): void {
    const [above, columns, isRow] = [this.#lineAbove, this.#columns, line.includes('|') && !ATX.test(line)]
    this.#lineAbove = isRow ? line : ''
    this.#columns = undefined
    if (this.#isInTable) {
      if (!isRow) this.#marks.push(sectionEnd(at, TABLE_LEVEL))
      this.#isInTable = isRow
    } else if (columns !== undefined && isRow) {
      this.#marks.push(...headingMarks(at, columns, TABLE_LEVEL))
      this.#isInTable = true
    } else if (isRow && above !== '' && TABLE_RULE.test(line)) {
      this.#columns = plainInline(above.trim().replaceAll(/^\||\|$/g, ''))
    }
  }

  /** True for the lines of front matter, code and raw HTML, with those that begin and end them. */
  #isInRaw(line: string): boolean {
    if (this.#isFrontMatter) {
      this.#isFrontMatter = !/^(?:---|\.\.\.)[ \t]*$/.test(line) && this.#line < MAX_FRONT_MATTER_LINES
      return true
    }
    if (this.#line === 1 && /^---[ \t]*$/.test(line)) {
      this.#isFrontMatter = true
      return true
    }
    if (this.#fence !== undefined) return this.#isInFence(line, this.#fence)
    if (this.#htmlEnd !== undefined) {
      if (this.#htmlEnd.test(line)) this.#htmlEnd = undefined
      return true
    }
    const { prefix = '', fence } = /`{3}|~{3}/.test(line) ? (FENCE.exec(line)?.groups ?? {}) : {}
    if (fence !== undefined) {
      const isInside = this.#isInList || prefix.trim() !== ''
      this.#fence = { sign: fence.charAt(0), length: fence.length, indent: isInside ? prefix.length : 0 }
      this.#endParagraph()
      return true
    }
    const html = HTML.find(([begin]) => begin.test(line))
    if (html === undefined) return false
    this.#endParagraph()
    if (!html[1].test(line)) this.#htmlEnd = html[1]
    return true
  }

  #isInFence(line: string, { sign, length, indent }: Fence): boolean {
    const text = line.replace(/^[ \t>]+/, '')
    const isOutside = text !== '' && line.length - text.length < indent
    const isEnd = text.startsWith(sign.repeat(length)) && text.replaceAll(sign, '').trim() === ''
    if (isOutside || isEnd) this.#fence = undefined
    return !isOutside || isEnd
  }

  #readText(line: string, at: number): void {
    if (ITEM.test(line)) this.#isInList = true
    else if (/^\S/.test(line)) this.#isInList = false
    const atx = ATX.exec(line)
    const underline = this.#paragraph === undefined ? null : UNDERLINE.exec(line)
    if (atx !== null) {
      this.#endParagraph()
      const text = line.slice(atx[0].length).trim().replace(ATX_END, '')
      this.#marks.push(...headingMarks(at + line.indexOf('#'), plainInline(text), atx[1]?.length ?? 1))
    } else if (underline !== null && this.#paragraph !== undefined) {
      const paragraph = this.#text.slice(this.#paragraph, at)
      const begin = this.#paragraph + paragraph.search(/\S/)
      const level = underline.groups?.['first'] === undefined ? 2 : 1
      this.#marks.push(...headingMarks(begin, plainInline(paragraph), level))
      this.#endParagraph()
    } else if (line.trim() === '' || RULE.test(line)) this.#endParagraph()
    else if (this.#paragraph !== undefined || this.#isInText) this.#continue(line, at)
    else if (OTHER_BLOCK.test(line) || line.length > MAX_PARAGRAPH) this.#isInText = true
    else this.#paragraph = at
  }

  /** A line of text continues a paragraph, an item or a quote, also without its sign. */
  #continue(line: string, at: number): void {
    const isLong = this.#paragraph !== undefined && at + line.length - this.#paragraph > MAX_PARAGRAPH
    const isOther = this.#paragraph !== undefined && OTHER_BLOCK.test(line) && !/^(?: {4}|\t)/.test(line)
    if (!isLong && !isOther) return
    this.#endParagraph()
    this.#isInText = true
  }

  #endParagraph(): void {
    this.#paragraph = undefined
    this.#isInText = false
  }
}

/** The title that a line of front matter (YAML) gives. */
function frontMatterTitle(line: string): string | undefined {
  if (!FRONT_MATTER_TITLE.test(line)) return undefined
  const value = line.slice(line.indexOf(':') + 1).trim()
  const quote = value.charAt(0)
  if (quote === '"' || quote === "'") {
    // A quotation mark in the title may precede the last one, and one in a comment may follow it.
    const ends = [value.indexOf(quote, 1), value.lastIndexOf(quote)]
    const end = ends.find((at) => at > 0 && /^(?:[ \t]+#|$)/.test(value.slice(at + 1)))
    return end === undefined ? undefined : value.slice(1, end)
  }
  if (/^[>|#[{]/.test(value)) return undefined
  const comment = value.search(/[ \t]#/)
  return comment < 0 ? value : value.slice(0, comment).trimEnd()
}

/** The text of a line without the signs of Markdown. */
function plainInline(text: string): string {
  return text
    .slice(0, MAX_INLINE)
    .replaceAll(/<!--.*?-->/g, '')
    .replaceAll(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/<((?:https?|mailto):[^>\s]*)>/g, '$1')
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '')
    .replaceAll(/(`+)(.+?)\1/g, '$2')
    .replaceAll(/(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
    .replaceAll(/(?<![\p{L}\p{N}])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
    .replaceAll(/[ \t]*\{#[\w-]+\}[ \t]*$/g, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
}
