import { looksLikeHeader, rowText } from '../reader.js'

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
/** A longer text is no header. The rows of a merged cell do not repeat it. */
const SHORT_CHARACTERS = 200
/** The names of a column in all rows of its header together. */
const MAX_HEADER_CHARACTERS = 400

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
  /** The first row of several cells, until another row or the end of the table follows. */
  #first: Row | undefined
  #header: (string | undefined)[] | undefined
  #hasRows = false
  /** The texts of vertically merged cells by column. */
  readonly #mergedTexts = new Map<number, string>()

  constructor(private readonly out: Blocks) {}

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
    if (row.cells.length < 2) {
      this.#writeFirst()
      for (const cell of row.cells) this.#writeParagraphs(cell)
    } else if (row.isHeader && !this.#hasRows && this.#first === undefined) {
      this.#addHeader(row)
    } else if (this.#first === undefined && !this.#hasRows && this.#header === undefined) {
      this.#first = row
    } else {
      this.#writeFirst()
      this.#writeRow(row)
    }
  }

  close(): void {
    if (this.#row !== undefined) this.closeRow()
    for (const cell of this.#first?.cells ?? []) this.#writeParagraphs(cell)
    this.#first = undefined
  }

  /** Writes the first row when another row follows: it may be a header. */
  #writeFirst(): void {
    const first = this.#first
    this.#first = undefined
    if (first === undefined) return
    const texts = first.cells.map(textOf)
    // "Name:" is a label of the cell beside it.
    const isHeader = looksLikeHeader(texts) && !texts.some((text) => text.trimEnd().endsWith(':'))
    if (isHeader) this.#addHeader(first)
    else this.#writeRow(first)
  }

  #addHeader(row: Row): void {
    const header = (this.#header ??= [])
    for (const cell of row.cells) {
      const name = textOf(cell).replaceAll('\n', ' ')
      if (name === '' || name.length > SHORT_CHARACTERS) continue
      for (let column = cell.column; column < cell.column + cell.span; column += 1)
        header[column] = joined(header[column], name)
    }
    this.out.add(rowText(row.cells.map(textOf), undefined))
  }

  #writeRow(row: Row): void {
    this.#hasRows = true
    const texts = row.cells.map((cell) => this.#textWithMerges(cell))
    const names = row.cells.map((cell) => this.#headerOf(cell))
    this.out.add(rowText(texts, names))
  }

  #writeParagraphs(cell: Cell): void {
    for (const paragraph of cell.blocks.paragraphs) this.out.add(paragraph)
  }

  #textWithMerges(cell: Cell): string {
    const text = textOf(cell)
    if (cell.merge === 'continues') return text === '' ? (this.#mergedTexts.get(cell.column) ?? '') : text
    if (cell.merge === 'begins' && text.length <= SHORT_CHARACTERS) this.#mergedTexts.set(cell.column, text)
    else this.#mergedTexts.delete(cell.column)
    return text
  }

  #headerOf(cell: Cell): string {
    const names = this.#header?.slice(cell.column, cell.column + cell.span) ?? []
    return [...new Set(names.filter((name) => name !== undefined))].join(', ')
  }
}

/** The text of a cell. A short cell becomes one line, so that the row stays on one line. */
function textOf(cell: Cell): string {
  const { paragraphs } = cell.blocks
  const text = paragraphs.join(' ')
  return text.length <= SHORT_CHARACTERS ? text : paragraphs.join('\n')
}

/** Any number of rows may be marked as headers: the names that all rows repeat stay short. */
function joined(header: string | undefined, name: string): string {
  if (header === undefined) return name
  return header.length + name.length < MAX_HEADER_CHARACTERS ? `${header} ${name}` : header
}

function columns(count: number): number {
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_COLUMNS) : 0
}
