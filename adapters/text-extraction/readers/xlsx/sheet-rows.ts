import { SHORT_CHARACTERS } from '../headed-rows.js'
import type { MarkedLines } from '../marked-lines.js'
import type { ReaderWarning } from '../reader-piece.js'
import { RepeatedTexts } from '../repeated-texts.js'
import { TableRows } from '../table-rows.js'
import type { SheetMerges } from './sheet-merges.js'

/** A row of a sheet. */
export interface SheetRow {
  readonly row: number
  readonly cells: readonly string[]
  /** The column of each cell, ascending. */
  readonly columns: readonly number[]
  /** The columns with numbers. */
  readonly numbers: ReadonlySet<number>
  /** True if no cell is a number, except years. */
  readonly mayBeNames: boolean
  /** The styles of the cells. */
  readonly styles: string
}

/** Characters of merged cells that any sheet may repeat. */
const FREE_REPEATED_CHARACTERS = 1_048_576
/** A hostile sheet may have merged cells in every column, and each row looks at all of them. */
const MAX_MERGED_COLUMNS = 256
/** Cells that stand for a missing value. */
const PLACEHOLDER = /^(?:n\/?a|none|null|tbd|tbc|unknown|[-–—?.]+)$/i

/** Decides which rows name the columns of the rows below them, and repeats merged cells in each of their rows. */
export class SheetRows {
  readonly #table = new TableRows()
  #hasHeader = false
  /** True until the first row of several cells, and again behind an empty row. */
  #mayBeHeader = true
  #last = 0
  /** A row that may be the names of a second table: the next row decides. */
  #candidate: SheetRow | undefined
  /** The styles of the names, and of the first row below them. */
  #nameStyles = ''
  #bodyStyles: string | undefined
  /** The texts of merged cells by column, and their last rows. */
  readonly #merged = new Map<number, { readonly text: string; readonly last: number }>()
  readonly #repeated = new RepeatedTexts(FREE_REPEATED_CHARACTERS)

  constructor(
    private readonly out: MarkedLines,
    private readonly merges: SheetMerges,
  ) {}

  warnings(): ReaderWarning[] {
    return this.#table.warnings()
  }

  add(row: SheetRow): void {
    const candidate = this.#candidate
    if (candidate !== undefined) this.#decide(candidate, row)
    const isAfterGap = row.row > this.#last + 1
    if (isAfterGap) this.out.leaveGap()
    this.#last = row.row
    if (isAfterGap) this.#mayBeHeader = true
    if (row.cells.length > 1 && this.#mayBeHeader) {
      this.#mayBeHeader = false
      if (row.mayBeNames && areNames(row.cells)) {
        // Names that the table above does not have begin another one. Otherwise the row may be one of the same table.
        const isOther = !this.#hasHeader || row.columns.some((column) => !this.#table.hasName(column))
        if (isOther && this.#useAsHeader(row)) return
        if (!isOther) {
          this.#candidate = row
          return
        }
      }
    }
    this.#write(row)
  }

  /** Ends the sheet. */
  end(): void {
    const candidate = this.#candidate
    this.#candidate = undefined
    if (candidate !== undefined) this.#write(candidate)
  }

  /** A second table of the same columns shows by the row below its names, or by the look of the names. */
  #decide(candidate: SheetRow, next: SheetRow): void {
    this.#candidate = undefined
    const isBelow = next.row === candidate.row + 1 && next.cells.length > 1
    // Years alone may be names too, so they tell nothing.
    const hasNumbers = !next.mayBeNames && candidate.columns.some((column) => next.numbers.has(column))
    const looksAlike =
      candidate.styles === this.#nameStyles && this.#nameStyles !== (this.#bodyStyles ?? this.#nameStyles)
    const isHeader = isBelow && (hasNumbers || looksAlike) && !candidate.cells.some((cell) => PLACEHOLDER.test(cell))
    if (!isHeader || !this.#useAsHeader(candidate)) this.#write(candidate)
  }

  #useAsHeader(row: SheetRow): boolean {
    if (!this.#table.useAsHeader(row.cells, row.columns)) return false
    this.#hasHeader = true
    this.#nameStyles = row.styles
    this.#bodyStyles = undefined
    this.#merged.clear()
    this.out.add(this.#table.plainLine(row.cells))
    return true
  }

  #write(row: SheetRow): void {
    if (this.#hasHeader) this.#bodyStyles ??= row.styles
    const { cells, columns } = this.#withMerged(row)
    this.out.add(this.#table.line(cells, columns))
  }

  /** The row with the short texts of merged cells that began above it. */
  #withMerged(row: SheetRow): Pick<SheetRow, 'cells' | 'columns'> {
    const placed = row.cells.map((text, at) => ({ column: row.columns[at] ?? at, text }))
    const own = new Set(row.columns)
    for (const { text } of placed) this.#repeated.earn(text)
    const filled: typeof placed = []
    if (this.#repeated.hasRoomFor(SHORT_CHARACTERS)) {
      for (const [column, { text, last }] of this.#merged) {
        if (row.row > last) this.#merged.delete(column)
        else if (!own.has(column) && this.#repeated.take(text)) filled.push({ column, text })
      }
    }
    for (const { column, text } of placed) {
      const last = text.length > SHORT_CHARACTERS ? undefined : this.merges.lastRowOf(row.row, column)
      const hasRoom = this.#merged.has(column) || this.#merged.size < MAX_MERGED_COLUMNS
      if (last !== undefined && hasRoom) this.#merged.set(column, { text, last })
    }
    if (filled.length === 0) return row
    const all = [...placed, ...filled].sort((first, second) => first.column - second.column)
    return { cells: all.map(({ text }) => text), columns: all.map(({ column }) => column) }
  }
}

/** Names differ, and "Name:" is a label of the cell beside it. */
function areNames(cells: readonly string[]): boolean {
  return new Set(cells).size === cells.length && !cells.some((cell) => cell.endsWith(':'))
}
