import type { PdfLine } from './pdf-lines.js'

/** A heading that the fonts of a page show. */
export interface FontHeading {
  readonly title: string
  /** 1 for the outermost ones, up to 4. */
  readonly level: number
}

/** The number of nested levels. Fonts do not tell more apart. */
const MAX_LEVELS = 4
/** A larger size than this share of the body's makes a heading. */
const LARGER = 1.12
const MIN_CHARACTERS = 3
const MAX_CHARACTERS = 110
/** A page with more headings is a list, or hostile. */
const MAX_PAGE_HEADINGS = 50
/** The most lines of one heading. */
const MAX_LINES = 3
/** The most headings in front of one text. */
const MAX_STACKED = 3
/** Lines of text have at least this many characters. */
const TEXT_CHARACTERS = 45
/** The step to the line above a heading, in parts of its size. Lines of one paragraph are nearer. */
const STEP_ABOVE = 1.35
const STEP_BELOW = 3.5
const STEP_WITHIN = 1.6
/** A line that reaches this share of the width of the text below it is a line of text. */
const FULL_WIDTH = 0.92
/** A font that writes more than this share of its characters in long lines is one for text, not for headings. */
const TEXT_FONT_SHARE = 0.35
/** Lines at the top and at the bottom of a page that may be running headers and footers. */
const EDGE_LINES = 4
/** Pages whose running lines are remembered: left and right pages may have different ones. */
const REMEMBERED_PAGES = 3

/** Characters of a style or a font. */
interface Use {
  characters: number
  /** Those in long lines of one style. */
  inText: number
}

/** Pages are known one by one: more styles than these are not counted. */
const MAX_STYLES = 500

/**
 * Finds headings by their fonts, page by page. A heading is a short line in front of a text, in a font or a size other
 * than those of the text. It is neither a row of a table nor a line that its neighbour pages repeat. It is better to miss
 * a heading than to name a wrong one.
 */
export class FontHeadings {
  readonly #styles = new Map<string, Use>()
  readonly #fonts = new Map<string, Use>()
  /** The running lines of the pages before, and of this one. */
  #running: ReadonlySet<string>[] = []
  /** The styles of the open headings, the outermost first. */
  #open: readonly PdfLine[] = []

  /**
   * The headings of the next page, in their order.
   * @param next the lines of the page after it
   */
  of(lines: readonly PdfLine[], next: readonly PdfLine[]): FontHeading[] {
    this.#count(lines)
    const own = this.#running.pop() ?? runningLines(lines)
    const after = runningLines(next)
    const running = [...this.#running, after]
    this.#running = [...this.#running.slice(1 - REMEMBERED_PAGES), own, after]
    const body = this.#body()
    if (body === undefined) return []
    const content = lines.filter(({ text }) => !running.some((texts) => texts.has(keyOf(text))))
    const headings: FontHeading[] = []
    for (let index = 0; index < content.length && headings.length < MAX_PAGE_HEADINGS; ) {
      const stack = this.#stackAt(content, index, body)
      for (const heading of stack) headings.push({ title: textOf(heading), level: this.#levelOf(heading) })
      index += Math.max(1, stack.flat().length)
    }
    return headings
  }

  #count(lines: readonly PdfLine[]): void {
    for (const line of lines) {
      const { length } = line.text
      const inText = line.isUniform && !line.isInTable && length >= TEXT_CHARACTERS ? length : 0
      for (const [uses, key] of [
        [this.#styles, styleOf(line)],
        [this.#fonts, line.font],
      ] as const) {
        const use = uses.get(key)
        if (use !== undefined) {
          use.characters += length
          use.inText += inText
        } else if (uses.size < MAX_STYLES) {
          uses.set(key, { characters: length, inText })
        }
      }
    }
  }

  /** The style of most of the text so far. */
  #body(): { readonly font: string; readonly size: number } | undefined {
    let [best, most] = ['', 0]
    for (const [style, { inText }] of this.#styles) if (inText > most) [best, most] = [style, inText]
    const [size = '', font = ''] = best.split(' ')
    return most === 0 ? undefined : { font, size: Number(size) }
  }

  /** The headings that follow each other from an index on, up to a text; none if there is no text below them. */
  #stackAt(lines: readonly PdfLine[], from: number, body: Body): readonly (readonly PdfLine[])[] {
    const stack: PdfLine[][] = []
    for (let index = from; stack.length <= MAX_STACKED; ) {
      const line = lines[index]
      if (line === undefined) return []
      const title = stack.at(-1)?.at(-1)
      if (title !== undefined && isText(line, title, body)) return isRunIn(title, line, body) ? [] : stack
      const heading = this.#headingAt(lines, index, body)
      if (heading.length === 0) return []
      stack.push(heading)
      index += heading.length
    }
    return []
  }

  /** The lines of one heading from an index on; none if there is no heading. */
  #headingAt(lines: readonly PdfLine[], from: number, body: Body): PdfLine[] {
    const first = lines[from]
    if (first === undefined || !this.#isHeadingLine(first, body) || !beginsParagraph(first, lines[from - 1])) return []
    const heading = [first]
    for (let next = lines[from + 1]; next !== undefined; next = lines[from + heading.length]) {
      const above = heading.at(-1) ?? first
      const step = above.y - next.y
      if (styleOf(next) !== styleOf(first) || step <= 0 || step > first.size * STEP_WITHIN) break
      if (!next.isUniform || next.isInTable || heading.length === MAX_LINES) return []
      heading.push(next)
    }
    return isTitle(textOf(heading)) ? heading : []
  }

  #isHeadingLine(line: PdfLine, body: Body): boolean {
    if (!line.isUniform || line.isInTable || line.size < body.size) return false
    if (line.size >= body.size * LARGER) return true
    const use = this.#fonts.get(line.font)
    return line.font !== body.font && use !== undefined && use.inText <= use.characters * TEXT_FONT_SHARE
  }

  /** A heading is below those of larger sizes, and below those of another style that are still open. */
  #levelOf([line]: readonly PdfLine[]): number {
    if (line === undefined) return 1
    const same = this.#open.findIndex((open) => styleOf(open) === styleOf(line))
    const above = same >= 0 ? this.#open.slice(0, same) : this.#open.filter(({ size }) => size >= line.size)
    this.#open = [...above.slice(0, MAX_LEVELS - 1), line]
    return this.#open.length
  }
}

type Body = Pick<PdfLine, 'font' | 'size'>

function styleOf({ font, size }: PdfLine): string {
  return `${size} ${font}`
}

/** True for a line of the text below a heading. */
function isText(line: PdfLine, above: PdfLine, body: Body): boolean {
  const step = above.y - line.y
  const isNear = step > 0 && step < Math.max(above.size, line.size) * STEP_BELOW
  const isInStyle = Math.abs(line.size - body.size) < body.size * 0.1
  return (
    isNear &&
    isInStyle &&
    !line.isInTable &&
    line.text.length >= TEXT_CHARACTERS &&
    /\p{Ll}{2}|\p{Lo}{2}/u.test(line.text)
  )
}

/** True if a line is the first one of the text below it, in another font. */
function isRunIn(title: PdfLine, text: PdfLine, body: Body): boolean {
  const isFull = title.size < body.size * LARGER && title.end > text.x + (text.end - text.x) * FULL_WIDTH
  return isFull || /^\p{Ll}/u.test(text.text)
}

/** True if a line is at the top of a page or a column, or farther from the line above than the lines of a paragraph. */
function beginsParagraph(line: PdfLine, above: PdfLine | undefined): boolean {
  if (above === undefined) return true
  const step = above.y - line.y
  const least = styleOf(above) === styleOf(line) ? STEP_WITHIN : STEP_ABOVE
  return step < 0 || step > line.size * least
}

function isTitle(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const isShort = text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS
  const isOpen = /[,;.:\-\u2010\u00AD]$/.test(text)
  const isCode = /[<>=@{}]|:\/\//.test(text)
  const isBegun = /^["“‘'(]?(?:\p{Lu}|\p{Lo}|\p{N})/u.test(text)
  return isShort && isBegun && !isOpen && !isCode && letters >= 3 && letters * 2 >= text.replaceAll(/\s/g, '').length
}

function textOf(lines: readonly PdfLine[]): string {
  return lines.map(({ text }) => text).join(' ')
}

function runningLines(lines: readonly PdfLine[]): ReadonlySet<string> {
  const sorted = [...lines].sort((one, other) => other.y - one.y)
  return new Set([...sorted.slice(0, EDGE_LINES), ...sorted.slice(-EDGE_LINES)].map(({ text }) => keyOf(text)))
}

/** A text without its digits, blanks and cases: the number of a page differs. */
function keyOf(text: string): string {
  return text.replaceAll(/[\s\d]+/g, '').toLowerCase()
}
