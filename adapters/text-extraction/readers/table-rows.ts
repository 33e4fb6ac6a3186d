import { rowText, warning } from './reader.js'
import type { ReaderWarning } from './reader-piece.js'

/** Names of columns may be longer than the cells, but only up to this factor. */
const NAME_CHARACTERS_PER_CHARACTER = 12
const FREE_NAME_CHARACTERS = 1_048_576

/** Turns the rows of a table into lines. Every cell gets the name of its column: `City: Oslo; Country: Norway`. */
export class TableRows {
  #header: TableHeader | undefined
  /** The characters that the names of the columns may still add. */
  #budget = FREE_NAME_CHARACTERS
  #isNameless = false

  /**
   * Uses a row as the names of the columns, if it looks like names.
   * @param columns the column of each cell, ascending. Default: all columns in order
   * @returns true if it does
   */
  useAsHeader(cells: readonly string[], columns?: readonly number[]): boolean {
    const header = TableHeader.of(cells, columns)
    if (header !== undefined) this.#header = header
    return header !== undefined
  }

  /** Uses texts as the names of the columns, even if they do not look like names. An empty one is no name. */
  useNames(names: readonly string[]): void {
    this.#header = TableHeader.named(names)
  }

  /** True if the column has a name. */
  hasName(column: number): boolean {
    return this.#header?.has(column) === true
  }

  /** The row without names. */
  plainLine(cells: readonly string[]): string {
    return rowText(cells, undefined)
  }

  /** @param columns the column of each cell. Default: all columns in order */
  line(cells: readonly string[], columns?: readonly number[]): string {
    const plain = this.plainLine(cells)
    if (this.#header === undefined) return plain
    const named = this.#header.isTooLong ? undefined : this.#header.textOf(cells, columns)
    this.#budget += plain.length * NAME_CHARACTERS_PER_CHARACTER
    if (named !== undefined && named.length - plain.length <= this.#budget) {
      this.#budget -= named.length - plain.length
      return named
    }
    this.#isNameless = true
    return plain
  }

  warnings(): ReaderWarning[] {
    if (!this.#isNameless) return []
    return [warning('the column names are too long to repeat them in every row', 'column-names-too-long')]
  }
}

/** A longer name is cut in the rows. The first row has it in full. */
const MAX_NAME_CHARACTERS = 60
/** If the names together are longer, the rows do not repeat them. */
const MAX_HEADER_CHARACTERS = 16_384
/** A number that may be the name of a column. */
export const YEAR: RegExp = /^(?:19|20)\d\d$/
const NUMBER = /^[\d\s.,:/%$€£+-]+$/

/** True for a number that is no year. */
export function isNumber(text: string): boolean {
  const trimmed = text.trim()
  return NUMBER.test(trimmed) && !YEAR.test(trimmed)
}

/** The names of the columns of a table. */
class TableHeader {
  readonly isTooLong: boolean

  private constructor(
    /** By column. */
    private readonly names: ReadonlyMap<number, string>,
  ) {
    let length = 0
    for (const name of names.values()) length += name.length
    this.isTooLong = length > MAX_HEADER_CHARACTERS
  }

  static named(names: readonly string[]): TableHeader {
    return new TableHeader(new Map(names.map((name, column) => [column, cut(name.trim())])))
  }

  /** @returns `undefined` if the row does not look like names: most columns have one, and most of them are words */
  static of(row: readonly string[], columns: readonly number[] | undefined): TableHeader | undefined {
    const names = row.map((cell) => cell.trim())
    const width = columns === undefined ? row.length : (columns.at(-1) ?? 0) - (columns[0] ?? 0) + 1
    const filled = names.filter((name) => name !== '')
    const words = filled.filter((name) => !isNumber(name))
    const hasWord = filled.some((name) => !NUMBER.test(name))
    const isHeader = hasWord && words.length * 2 >= filled.length && filled.length * 2 >= width
    return isHeader ? new TableHeader(new Map(names.map((name, at) => [columns?.[at] ?? at, cut(name)]))) : undefined
  }

  has(column: number): boolean {
    return (this.names.get(column) ?? '') !== ''
  }

  /** For example `City: Oslo; Country: Norway`. Empty cells are left out. */
  textOf(row: readonly string[], columns: readonly number[] | undefined): string {
    const names = row.map((_, at) => this.names.get(columns?.[at] ?? at) ?? '')
    return rowText(row, names)
  }
}

function cut(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name
  return `${name
    .slice(0, MAX_NAME_CHARACTERS - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}
