import { rowText } from '../table-rows.js'

/** A longer name is cut where it is repeated; the first row has it in full. */
const MAX_NAME_CHARACTERS = 60
/** Names that are longer together are not repeated in every row. */
const MAX_HEADER_CHARACTERS = 16_384
const YEAR = /^(?:19|20)\d\d$/
const NUMBER = /^[\d\s.,:/%$€£+-]+$/

/** The names of a table's columns. */
export class CsvHeader {
  readonly #names: readonly string[]

  private constructor(names: readonly string[]) {
    this.#names = names
  }

  /** The first row, where it looks like names: words, and most columns have one. */
  static of(row: readonly string[]): CsvHeader | undefined {
    const names = row.map((cell) => cell.trim())
    const given = names.filter((name) => name !== '')
    const words = given.filter((name) => !NUMBER.test(name) || YEAR.test(name))
    const hasWord = given.some((name) => !NUMBER.test(name))
    const isHeader = hasWord && words.length * 2 >= given.length && given.length * 2 >= row.length
    return isHeader ? new CsvHeader(names.map(cut)) : undefined
  }

  get isTooLong(): boolean {
    return this.#names.reduce((length, name) => length + name.length, 0) > MAX_HEADER_CHARACTERS
  }

  /** `City: Oslo; Country: Norway`, without empty cells. */
  textOf(row: readonly string[]): string {
    return rowText(row, this.#names)
  }
}

function cut(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return name
  return `${name
    .slice(0, MAX_NAME_CHARACTERS - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}
