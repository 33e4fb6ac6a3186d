import { HeadedRows, SHORT_CHARACTERS } from '../headed-rows.js'

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
  readonly #rows: HeadedRows<Cell>
  #isHead = false
  /** Paragraphs of the row are written at once. */
  #isLayoutRow = false
  readonly #continued = new Map<number, Continued>()

  constructor(private readonly out: HtmlBlocks) {
    this.#rows = new HeadedRows({ add: (line) => out.add(line), textOf, addLayout: (row) => this.#writeLayout(row) })
  }

  /** The receiver of paragraphs: the open cell, or the output of the table if no cell is open. */
  get blocks(): HtmlBlocks {
    if (this.#cell === undefined || this.#isLayoutRow) return this.out
    if (this.#size.characters > MAX_ROW_CHARACTERS || (this.#cells?.length ?? 0) > MAX_COLUMNS) {
      this.#rows.addLayout(this.#cells ?? [])
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
    const hasHeading = row.some(({ blocks }) => blocks.blocks.some(({ level }) => level > 0))
    if (row.length < 2 || hasHeading) this.#rows.addLayout(row)
    else this.#rows.add(row, isHeaderRow(row))
  }

  close(): void {
    this.closeRow()
    this.#rows.close()
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

  #writeLayout(row: readonly Cell[]): void {
    for (const { blocks } of row) {
      for (const { text, level } of blocks.blocks) {
        if (level > 0) this.out.heading(text, level)
        else this.out.add(text)
      }
      blocks.blocks.length = 0
    }
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
