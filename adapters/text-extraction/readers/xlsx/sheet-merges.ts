import { DamagedPartError, type DocxPackage } from '../docx/docx-package.js'

/** The most columns of a sheet. */
export const MAX_COLUMNS = 16_384
/** A hostile file may have any number of merged cells. */
const MAX_MERGES = 100_000
const ELEMENT = 'mergeCell'
const MERGE = /<(?:\w+:)?mergeCell\s[^<>]{0,200}?\bref\s*=\s*["']([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})["']/g
/** An element may begin in one piece and end in the next. */
const MAX_ELEMENT_BYTES = 300

/** The cells of a sheet that are merged with cells below them. */
export class SheetMerges {
  /** The last row by the row and column of the first cell. */
  readonly #lastRows = new Map<number, number>()

  /**
   * Looks for the merged cells of a sheet. They come after its rows, so the part is inflated once more, without a parser.
   */
  static async read(file: DocxPackage, part: string): Promise<SheetMerges> {
    const merges = new SheetMerges()
    let tail = Buffer.alloc(0)
    try {
      for await (const bytes of file.bytes(part)) {
        const whole = Buffer.concat([tail, bytes])
        if (whole.includes(ELEMENT)) merges.#add(whole.toString('latin1'))
        tail = whole.subarray(-MAX_ELEMENT_BYTES)
      }
    } catch (error) {
      // The reader of the rows reports the damage.
      if (!(error instanceof DamagedPartError)) throw error
    }
    return merges
  }

  /** The last row of the merged cell that begins here, if it has several rows. */
  lastRowOf(row: number, column: number): number | undefined {
    return this.#lastRows.get(row * MAX_COLUMNS + column)
  }

  /** @param lastRow the last row of the merged cell that begins here */
  set(row: number, column: number, lastRow: number): void {
    if (this.#lastRows.size < MAX_MERGES) this.#lastRows.set(row * MAX_COLUMNS + column, lastRow)
  }

  #add(text: string): void {
    for (const [, first = '', last = ''] of text.matchAll(MERGE)) {
      const [begin, end] = [rowOf(first), rowOf(last)]
      const column = columnOf(first)
      if (end > begin && column !== undefined) this.set(begin, column, end)
    }
  }
}

/** The column of a reference such as `AB12`, from 0. */
export function columnOf(reference: string | undefined): number | undefined {
  const letters = /^\$?([A-Z]{1,3})\$?\d/i.exec(reference ?? '')?.[1]?.toUpperCase()
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return Math.min(column, MAX_COLUMNS) - 1
}

function rowOf(reference: string): number {
  return Number(reference.replace(/^[A-Z]+/, ''))
}
