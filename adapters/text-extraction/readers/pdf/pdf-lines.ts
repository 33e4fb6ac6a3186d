import type { TextItem } from './pdf-page-text.js'

/** A line of a page, with its place and its style. */
export interface PdfLine {
  /** At most the first 300 characters. */
  readonly text: string
  /** The font that most of the characters have. */
  readonly font: string
  /** The size of that font. */
  readonly size: number
  readonly x: number
  readonly end: number
  readonly y: number
  /** True if one font in one size has almost all of the characters. */
  readonly isUniform: boolean
  /** True if another line is beside this one, or if a wide gap divides it: it is a row of a table. */
  readonly isInTable: boolean
}

/** Gaps of this many sizes divide cells. */
const CELL_GAP = 2
/** Steps across the line below this share of the size stay in it. */
const SAME_LINE = 0.5
/** The share of the characters of a uniform line that have its style. */
const UNIFORM_SHARE = 0.95
/** Longer lines are cut: they are no headings, and a hostile page may be one line. */
const MAX_LINE_CHARACTERS = 300

interface Draft {
  text: string
  readonly size: number
  readonly x: number
  readonly y: number
  end: number
  /** Characters by style. */
  readonly styles: Map<string, { readonly font: string; readonly size: number; characters: number }>
  characters: number
  isInTable: boolean
}

/** Groups the runs of a page into lines, in the order of the file. Leaves out rotated and vertical text. */
export function linesOf(items: readonly TextItem[]): PdfLine[] {
  const drafts: Draft[] = []
  let last: Draft | undefined
  for (const item of items) {
    const str = item.str.trim()
    const [a = 1, b = 0, , d = 1, x = 0, y = 0] = item.transform
    if (str === '' || b !== 0 || a <= 0 || item.dir === 'ttb') continue
    const size = roundedSize(a < d * 0.3 ? d : a)
    const isBeside = last !== undefined && Math.abs(last.y - y) < Math.max(size, last.size) * SAME_LINE
    const gap = last === undefined ? 0 : x - last.end
    if (last === undefined || !isBeside || Math.abs(gap) > size * CELL_GAP) {
      const isInTable = isBeside && last !== undefined
      if (isInTable && last !== undefined) last.isInTable = true
      last = { text: '', size, x, y, end: x, styles: new Map(), characters: 0, isInTable }
      drafts.push(last)
    } else if ((gap > size * 0.1 || /^\s/.test(item.str)) && last.text.length < MAX_LINE_CHARACTERS) {
      last.text += ' '
    }
    if (last.text.length < MAX_LINE_CHARACTERS) last.text += str.slice(0, MAX_LINE_CHARACTERS)
    last.end = x + item.width
    addStyle(last, item.fontName ?? '', size, str.length)
  }
  return drafts.map(toLine)
}

function addStyle(line: Draft, font: string, size: number, characters: number): void {
  const key = `${font} ${size}`
  const style = line.styles.get(key) ?? { font, size, characters: 0 }
  style.characters += characters
  line.characters += characters
  line.styles.set(key, style)
}

function toLine({ text, x, y, end, styles, characters, isInTable }: Draft): PdfLine {
  let main = { font: '', size: 1, characters: 0 }
  for (const style of styles.values()) if (style.characters > main.characters) main = style
  const isUniform = main.characters >= characters * UNIFORM_SHARE
  return { text, font: main.font, size: main.size, x, y, end, isUniform, isInTable }
}

/** Half points: files scale one font to sizes that hardly differ. */
function roundedSize(size: number): number {
  return Math.max(0.5, Math.round(size * 2) / 2)
}
