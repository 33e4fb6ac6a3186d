import { rowText } from '../table-rows.js'

/** A longer name is cut in the rows. The first row has it in full. */
const MAX_NAME_CHARACTERS = 60
/** If the names together are longer, the rows do not repeat them. */
const MAX_HEADER_CHARACTERS = 16_384
const YEAR = /^(?:19|20)\d\d$/
const NUMBER = /^[\d\s.,:/%$€£+-]+$/

/** The names of the columns of a table. */
export class CsvHeader {
  readonly #names: readonly string[]

  private constructor(names: readonly string[]) {
    this.#names = names
  }

  /** @returns `undefined` if the row does not look like names: most columns have one, and most of them are words */
  static of(row: readonly string[]): CsvHeader | undefined {
    const names = row.map((cell) => cell.trim())
    const filled = names.filter((name) => name !== '')
    const words = filled.filter((name) => !NUMBER.test(name) || YEAR.test(name))
    const hasWord = filled.some((name) => !NUMBER.test(name))
    const isHeader = hasWord && words.length * 2 >= filled.length && filled.length * 2 >= row.length
    return isHeader ? new CsvHeader(names.map(cut)) : undefined
  }

  get isTooLong(): boolean {
    return this.#names.reduce((length, name) => length + name.length, 0) > MAX_HEADER_CHARACTERS
  }

  /** For example `City: Oslo; Country: Norway`. Empty cells are left out. */
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
