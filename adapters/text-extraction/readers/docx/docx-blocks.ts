import { HeadedRows, SHORT_CHARACTERS } from '../headed-rows.js'

/** Receives the paragraphs of a text, one after the other. */
export interface Blocks {
  add(paragraph: string): void
}

/** Collects paragraphs for later. */
export class KeptBlocks implements Blocks {
  readonly paragraphs: string[] = []

  add(paragraph: string): void {
    const text = paragraph.trimEnd()
    if (text !== '') this.paragraphs.push(text)
  }
}

/** The most columns of a Word table. */
const MAX_COLUMNS = 63

interface Cell {
  readonly column: number
  span: number
  merge: 'no' | 'begins' | 'continues'
  readonly blocks: KeptBlocks
}

interface Row {
  column: number
  isHeader: boolean
  readonly cells: Cell[]
}

/**
 * Writes a table row by row while it is read: `City: Oslo; Country: Norway`.
 *
 * - Headers are the rows that are marked as headers, or the first row if it looks like one.
 * - A cell over several columns gets all their headers. A short cell that is merged with cells below it is repeated in
 *   each of their rows.
 * - A table of one row or one column only serves the layout: its paragraphs are written unchanged. So is a row of one
 *   cell in any table.
 */
export class DocxTable {
  #row: Row | undefined
  #cell: Cell | undefined
  readonly #rows: HeadedRows<Cell>
  /** The texts of vertically merged cells by column. */
  readonly #mergedTexts = new Map<number, string>()

  constructor(private readonly out: Blocks) {
    this.#rows = new HeadedRows({
      add: (line) => out.add(line),
      textOf,
      shownTextOf: (cell) => this.#textWithMerges(cell),
      addLayout: (row) => {
        for (const { blocks } of row) for (const paragraph of blocks.paragraphs) out.add(paragraph)
      },
    })
  }

  /** The receiver of paragraphs: the open cell, or the output of the table if no cell is open. */
  get blocks(): Blocks {
    return this.#cell?.blocks ?? this.out
  }

  openRow(): void {
    this.#row = { column: 0, isHeader: false, cells: [] }
  }

  markHeader(): void {
    if (this.#row !== undefined) this.#row.isHeader = true
  }

  skipColumns(count: number): void {
    if (this.#row !== undefined) this.#row.column += columns(count)
  }

  openCell(): void {
    const row = (this.#row ??= { column: 0, isHeader: false, cells: [] })
    this.#cell = { column: row.column, span: 1, merge: 'no', blocks: new KeptBlocks() }
    row.cells.push(this.#cell)
  }

  spanColumns(count: number): void {
    if (this.#cell !== undefined) this.#cell.span = Math.max(1, columns(count))
  }

  mergeDown(merge: 'begins' | 'continues'): void {
    if (this.#cell !== undefined) this.#cell.merge = merge
  }

  closeCell(): void {
    if (this.#row !== undefined) this.#row.column += this.#cell?.span ?? 0
    this.#cell = undefined
  }

  closeRow(): void {
    const row = this.#row
    this.#row = undefined
    if (row === undefined) return
    if (row.cells.length < 2) this.#rows.addLayout(row.cells)
    else this.#rows.add(row.cells, row.isHeader)
  }

  close(): void {
    if (this.#row !== undefined) this.closeRow()
    this.#rows.close()
  }

  #textWithMerges(cell: Cell): string {
    const text = textOf(cell)
    if (cell.merge === 'continues') return text === '' ? (this.#mergedTexts.get(cell.column) ?? '') : text
    if (cell.merge === 'begins' && text.length <= SHORT_CHARACTERS) this.#mergedTexts.set(cell.column, text)
    else this.#mergedTexts.delete(cell.column)
    return text
  }
}

/** The text of a cell. A short cell becomes one line, so that the row stays on one line. */
function textOf(cell: Cell): string {
  const { paragraphs } = cell.blocks
  const text = paragraphs.join(' ')
  return text.length <= SHORT_CHARACTERS ? text : paragraphs.join('\n')
}

function columns(count: number): number {
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_COLUMNS) : 0
}
