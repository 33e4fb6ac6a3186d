import { looksLikeHeader, rowText } from '../table-rows.js'
import { type Blocks, KeptBlocks } from './docx-blocks.js'

/** Word has no more columns than this. */
const MAX_COLUMNS = 63
/** A longer text is no header, and is not said again in the rows that a merged cell reaches down to. */
const SHORT_CHARACTERS = 200

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
 * A table, given on row by row as it comes: `City: Oslo; Country: Norway`.
 *
 * - Headers are the rows that are marked so, or the first one if it looks like it.
 * - A cell over several columns has all their headers; one that is merged with those
 *   below it is said in each of their rows, if it is short.
 * - A table of one row or one column is there for the layout: its paragraphs are given as they
 *   are. So is a row of one cell in any table.
 */
export class DocxTable {
  readonly #out: Blocks
  #row: Row | undefined
  #cell: Cell | undefined
  /** The first row of several cells, until it is known whether it is the only one. */
  #first: Row | undefined
  #header: (string | undefined)[] | undefined
  #hasRows = false
  /** What stands in cells that reach down, by column. */
  readonly #above = new Map<number, string>()

  constructor(out: Blocks) {
    this.#out = out
  }

  /** Where paragraphs go now: into the cell, or past the table where there is none. */
  get blocks(): Blocks {
    return this.#cell?.blocks ?? this.#out
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
    if (row.cells.length < 2) {
      this.#giveFirst()
      for (const cell of row.cells) this.#giveParagraphs(cell)
    } else if (row.isHeader && !this.#hasRows && this.#first === undefined) {
      this.#addHeader(row)
    } else if (this.#first === undefined && !this.#hasRows && this.#header === undefined) {
      this.#first = row
    } else {
      this.#giveFirst()
      this.#giveRow(row)
    }
  }

  close(): void {
    if (this.#row !== undefined) this.closeRow()
    for (const cell of this.#first?.cells ?? []) this.#giveParagraphs(cell)
    this.#first = undefined
  }

  /** The table has more rows than the first: that may be a header. */
  #giveFirst(): void {
    const first = this.#first
    this.#first = undefined
    if (first === undefined) return
    const texts = first.cells.map(textOf)
    // "Name:" is a label of the cell beside it.
    const isHeader = looksLikeHeader(texts) && !texts.some((text) => text.trimEnd().endsWith(':'))
    if (isHeader) this.#addHeader(first)
    else this.#giveRow(first)
  }

  #addHeader(row: Row): void {
    const header = (this.#header ??= [])
    for (const cell of row.cells) {
      const name = textOf(cell).replaceAll('\n', ' ')
      if (name === '' || name.length > SHORT_CHARACTERS) continue
      for (let column = cell.column; column < cell.column + cell.span; column += 1)
        header[column] = header[column] === undefined ? name : `${header[column]} ${name}`
    }
    this.#out.add(rowText(row.cells.map(textOf), undefined))
  }

  #giveRow(row: Row): void {
    this.#hasRows = true
    const texts = row.cells.map((cell) => this.#textWithAbove(cell))
    const names = row.cells.map((cell) => this.#headerOf(cell))
    this.#out.add(rowText(texts, names))
  }

  #giveParagraphs(cell: Cell): void {
    for (const paragraph of cell.blocks.paragraphs) this.#out.add(paragraph)
  }

  #textWithAbove(cell: Cell): string {
    const text = textOf(cell)
    if (cell.merge === 'continues') return text === '' ? (this.#above.get(cell.column) ?? '') : text
    if (cell.merge === 'begins' && text.length <= SHORT_CHARACTERS) this.#above.set(cell.column, text)
    else this.#above.delete(cell.column)
    return text
  }

  #headerOf(cell: Cell): string {
    const names = this.#header?.slice(cell.column, cell.column + cell.span) ?? []
    return [...new Set(names.filter((name) => name !== undefined))].join(', ')
  }
}

/** Short cells keep a row on one line. */
function textOf(cell: Cell): string {
  const { paragraphs } = cell.blocks
  const text = paragraphs.join(' ')
  return text.length <= SHORT_CHARACTERS ? text : paragraphs.join('\n')
}

function columns(count: number): number {
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_COLUMNS) : 0
}
