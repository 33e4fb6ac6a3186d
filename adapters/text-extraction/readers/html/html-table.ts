import { looksLikeHeader, rowText } from '../reader.js'

/** Receives the paragraphs of a page. */
export interface HtmlBlocks {
  add(paragraph: string): void
  heading(text: string, level: number): void
  leaveGap(): void
}

/** A paragraph of a cell. */
interface CellBlock {
  readonly text: string
  /** The level of a heading; 0 for other paragraphs. */
  readonly level: number
}

/** The size of a row that is kept. */
interface RowSize {
  characters: number
}

/** Keeps the paragraphs of a cell until its row ends. */
class CellBlocks implements HtmlBlocks {
  readonly blocks: CellBlock[] = []

  constructor(private readonly row: RowSize) {}

  add(paragraph: string): void {
    this.#keep(paragraph.trimEnd(), 0)
  }

  heading(text: string, level: number): void {
    this.#keep(text, level)
  }

  leaveGap(): void {
    // A row is a line.
  }

  #keep(text: string, level: number): void {
    if (text === '') return
    this.blocks.push({ text, level })
    this.row.characters += text.length
  }
}

interface Cell {
  readonly column: number
  readonly span: number
  /** The number of rows that the cell covers. */
  readonly rows: number
  readonly isHeader: boolean
  readonly blocks: CellBlocks
}

/** A cell that continues in the rows below it. */
interface Continued {
  readonly text: string
  readonly isHeader: boolean
  rows: number
}

const MAX_COLUMNS = 1_000
const MAX_ROWS = 65_534
/** A longer text is no header, and the rows of a merged cell do not repeat it. */
const SHORT_CHARACTERS = 200
/** The names of a column in all rows of its header together. */
const MAX_HEADER_CHARACTERS = 400
/** A row with more text is not kept: it serves the layout of the page. */
const MAX_ROW_CHARACTERS = 131_072

/**
 * Writes a table row by row, as tables of Word documents: `City: Oslo; Country: Norway`.
 *
 * - Headers are the first rows of header cells, or the first row if it looks like one.
 * - A short cell over several rows is repeated in each of them.
 * - A row of one cell, a table of one row, a cell with a heading, and a very long row only serve the layout: their
 *   paragraphs are written unchanged.
 */
export class HtmlTable {
  #cells: Cell[] | undefined
  #column = 0
  #size: RowSize = { characters: 0 }
  #cell: Cell | undefined
  /** The first row of several cells, until another row or the end of the table follows. */
  #first: readonly Cell[] | undefined
  #header: string[] | undefined
  #hasRows = false
  #isHead = false
  /** Paragraphs of the row are written at once. */
  #isLayoutRow = false
  readonly #continued = new Map<number, Continued>()

  constructor(private readonly out: HtmlBlocks) {}

  /** The receiver of paragraphs: the open cell, or the output of the table if no cell is open. */
  get blocks(): HtmlBlocks {
    if (this.#cell === undefined || this.#isLayoutRow) return this.out
    if (this.#size.characters > MAX_ROW_CHARACTERS || (this.#cells?.length ?? 0) > MAX_COLUMNS) {
      this.#writeFirst()
      this.#writeLayout(this.#cells ?? [])
      this.#isLayoutRow = true
      return this.out
    }
    return this.#cell.blocks
  }

  /** @param isHead true for the section with the headers */
  openSection(isHead: boolean): void {
    this.closeRow()
    this.#isHead = isHead
  }

  openRow(): void {
    this.closeRow()
    this.#cells = []
    this.#column = 0
    this.#size = { characters: 0 }
  }

  openCell(cell: { readonly isHeader: boolean; readonly columns: number; readonly rows: number }): void {
    if (this.#cells === undefined) this.openRow()
    while (this.#continued.has(this.#column)) this.#column += 1
    const span = Math.min(limited(cell.columns, MAX_COLUMNS), Math.max(1, MAX_COLUMNS - this.#column))
    const isHeader = cell.isHeader || this.#isHead
    const blocks = new CellBlocks(this.#size)
    this.#cell = { column: this.#column, span, rows: limited(cell.rows, MAX_ROWS), isHeader, blocks }
    this.#column += span
    if (!this.#isLayoutRow) this.#cells?.push(this.#cell)
  }

  closeCell(): void {
    this.#cell = undefined
  }

  closeRow(): void {
    const cells = this.#cells
    this.#cells = undefined
    this.#cell = undefined
    if (cells === undefined) return
    const row = [...cells, ...this.#continuedCells()].sort((one, other) => one.column - other.column)
    this.#rememberSpans(cells)
    const wasLayout = this.#isLayoutRow
    this.#isLayoutRow = false
    if (wasLayout || row.every(isEmpty)) return
    if (row.length < 2 || row.some(({ blocks }) => blocks.blocks.some(({ level }) => level > 0))) {
      this.#writeFirst()
      this.#writeLayout(row)
    } else if (this.#first === undefined && !this.#hasRows && isHeaderRow(row)) {
      this.#addHeader(row)
    } else if (this.#first === undefined && !this.#hasRows && this.#header === undefined) {
      this.#first = row
    } else {
      this.#writeFirst()
      this.#writeRow(row)
    }
  }

  close(): void {
    this.closeRow()
    this.#writeLayout(this.#first ?? [])
    this.#first = undefined
  }

  /** The cells above that reach into this row. */
  #continuedCells(): Cell[] {
    const cells: Cell[] = []
    for (const [column, continued] of this.#continued) {
      if (continued.text !== '') {
        const blocks = new CellBlocks(this.#size)
        blocks.add(continued.text)
        cells.push({ column, span: 1, rows: 1, isHeader: continued.isHeader, blocks })
      }
      continued.rows -= 1
      if (continued.rows === 0) this.#continued.delete(column)
    }
    return cells
  }

  #rememberSpans(cells: readonly Cell[]): void {
    for (const cell of cells) {
      const rows = cell.rows - 1
      if (rows < 1) continue
      const text = textOf(cell)
      for (let column = cell.column; column < cell.column + cell.span; column += 1) {
        const isRepeated = column === cell.column && text.length <= SHORT_CHARACTERS
        this.#continued.set(column, { text: isRepeated ? text : '', isHeader: cell.isHeader, rows })
      }
    }
  }

  /** Writes the first row when another row follows: it may be a header. */
  #writeFirst(): void {
    const first = this.#first
    this.#first = undefined
    if (first === undefined) return
    const texts = first.map(textOf)
    // "Name:" is a label of the cell beside it.
    if (looksLikeHeader(texts) && !texts.some((text) => text.endsWith(':'))) this.#addHeader(first)
    else this.#writeRow(first)
  }

  #addHeader(row: readonly Cell[]): void {
    const header = (this.#header ??= [])
    for (const cell of row) {
      const name = textOf(cell).replaceAll(/\s+/g, ' ')
      if (name.length > SHORT_CHARACTERS) continue
      for (let column = cell.column; column < cell.column + cell.span; column += 1) {
        const above = header[column] ?? ''
        if (above === '') header[column] = name
        // Any number of rows may be headers: the names that all rows repeat stay short.
        else if (above !== name && above.length + name.length < MAX_HEADER_CHARACTERS)
          header[column] = `${above} ${name}`
      }
    }
    this.out.add(rowText(row.map(textOf), undefined))
  }

  #writeRow(row: readonly Cell[]): void {
    this.#hasRows = true
    this.out.add(
      rowText(
        row.map(textOf),
        row.map((cell) => this.#headerOf(cell)),
      ),
    )
  }

  #writeLayout(row: readonly Cell[]): void {
    for (const { blocks } of row) {
      for (const { text, level } of blocks.blocks) {
        if (level > 0) this.out.heading(text, level)
        else this.out.add(text)
      }
      blocks.blocks.length = 0
    }
  }

  #headerOf(cell: Cell): string {
    const names = this.#header?.slice(cell.column, cell.column + cell.span) ?? []
    return [...new Set(names.filter((name) => name.trim() !== ''))].join(', ')
  }
}

/** True for a row of header cells; the one at the corner may be empty. */
function isHeaderRow(row: readonly Cell[]): boolean {
  return row.every((cell) => cell.isHeader || isEmpty(cell))
}

function isEmpty({ blocks }: Cell): boolean {
  return blocks.blocks.length === 0
}

/** The text of a cell. A short cell becomes one line, so that the row stays on one line. */
function textOf({ blocks }: Cell): string {
  const texts = blocks.blocks.map(({ text }) => text)
  const text = texts
    .join(' ')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()
  return text.length <= SHORT_CHARACTERS ? text : texts.join('\n')
}

function limited(count: number, max: number): number {
  return Number.isInteger(count) && count > 0 ? Math.min(count, max) : 1
}
