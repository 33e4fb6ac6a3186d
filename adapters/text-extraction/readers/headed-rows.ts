import { looksLikeHeader, rowText } from './reader.js'

/** A longer text is no header, and the rows of a merged cell do not repeat it. */
export const SHORT_CHARACTERS = 200
/** The names of a column in all rows of its header together. */
const MAX_HEADER_CHARACTERS = 400

interface PlacedCell {
  /** The first of its columns. */
  readonly column: number
  /** The number of its columns. */
  readonly span: number
}

interface RowOutput<Cell> {
  readonly add: (line: string) => void
  readonly textOf: (cell: Cell) => string
  /** The text of a cell when its row is written below the header. Default: {@link textOf}. */
  readonly shownTextOf?: (cell: Cell) => string
  /** Writes the paragraphs of a row that only serves the layout. */
  readonly addLayout: (row: readonly Cell[]) => void
}

/**
 * Writes the rows of a table as lines: `City: Oslo; Country: Norway`.
 *
 * - Headers are the rows that are marked as headers, or the first row if it looks like one.
 * - A cell over several columns gets all their headers.
 * - A table of one row only serves the layout.
 */
export class HeadedRows<Cell extends PlacedCell> {
  /** The first row, until another row or the end of the table follows. */
  #first: readonly Cell[] | undefined
  #header: (string | undefined)[] | undefined
  #hasRows = false

  constructor(private readonly out: RowOutput<Cell>) {}

  /** @param isHeader true if the row is marked as a header */
  add(row: readonly Cell[], isHeader: boolean): void {
    const isBegun = this.#hasRows || this.#first !== undefined
    if (isHeader && !isBegun) {
      this.#addHeader(row)
    } else if (!isBegun && this.#header === undefined) {
      this.#first = row
    } else {
      this.#writeFirst()
      this.#writeRow(row)
    }
  }

  addLayout(row: readonly Cell[]): void {
    this.#writeFirst()
    this.out.addLayout(row)
  }

  close(): void {
    this.out.addLayout(this.#first ?? [])
    this.#first = undefined
  }

  /** Writes the first row when another row follows: it may be a header. */
  #writeFirst(): void {
    const first = this.#first
    this.#first = undefined
    if (first === undefined) return
    const texts = first.map(this.out.textOf)
    // "Name:" is a label of the cell beside it.
    if (looksLikeHeader(texts) && !texts.some((text) => text.trimEnd().endsWith(':'))) this.#addHeader(first)
    else this.#writeRow(first)
  }

  #addHeader(row: readonly Cell[]): void {
    const header = (this.#header ??= [])
    for (const cell of row) {
      const name = this.out.textOf(cell).replaceAll(/\s+/g, ' ')
      if (name === '' || name.length > SHORT_CHARACTERS) continue
      for (let column = cell.column; column < cell.column + cell.span; column += 1) {
        const above = header[column]
        if (above === undefined) header[column] = name
        // Any number of rows may be headers: the names that all rows repeat stay short.
        else if (above !== name && above.length + name.length < MAX_HEADER_CHARACTERS)
          header[column] = `${above} ${name}`
      }
    }
    this.out.add(rowText(row.map(this.out.textOf), undefined))
  }

  #writeRow(row: readonly Cell[]): void {
    this.#hasRows = true
    const { textOf, shownTextOf = textOf } = this.out
    const names = row.map((cell) => this.#headerOf(cell))
    this.out.add(rowText(row.map(shownTextOf), names))
  }

  #headerOf({ column, span }: Cell): string {
    const names = this.#header?.slice(column, column + span) ?? []
    return [...new Set(names.filter((name) => name !== undefined))].join(', ')
  }
}
