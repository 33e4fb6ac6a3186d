import { format, isDateFormat } from 'numfmt'

/** Excel allows no longer format. */
const MAX_FORMAT_CHARACTERS = 255
/** Excel allows some hundred formats in a workbook. Each one is kept in its parsed form. */
const MAX_FORMATS = 1_000
/** The days between the first days of both calendars of Excel. */
const DAYS_TO_1904 = 1_462

const OF_FILE = new WeakMap<object, NumberTexts>()

/** Writes the numbers of one file in their formats. */
export class NumberTexts {
  /** True for each known format that is one of dates. */
  readonly #isDate = new Map<string, boolean>()

  /** The texts of a file that has several parts with numbers. */
  static of(file: object): NumberTexts {
    let texts = OF_FILE.get(file)
    if (texts === undefined) OF_FILE.set(file, (texts = new NumberTexts()))
    return texts
  }

  /** True for a format of dates, unless it is one too many. */
  isDate(code: string): boolean {
    return this.#knows(code) && this.#isDate.get(code) === true
  }

  /** The text of a number as Excel shows it. @param startsIn1904 true if days count from 1904 */
  show(number: number, code: string, startsIn1904: boolean): string {
    if (!this.#knows(code)) return generalNumber(number)
    try {
      const shown = startsIn1904 && this.isDate(code) ? number + DAYS_TO_1904 : number
      const text = format(code, shown, { nbsp: false, dateErrorNumber: true, dateErrorThrows: false }).trim()
      return text === '' || /^#+$/.test(text) ? generalNumber(number) : text
    } catch {
      return generalNumber(number)
    }
  }

  #knows(code: string): boolean {
    if (this.#isDate.has(code)) return true
    if (code === '' || code.length > MAX_FORMAT_CHARACTERS || this.#isDate.size >= MAX_FORMATS) return false
    try {
      this.#isDate.set(code, isDateFormat(code))
      return true
    } catch {
      return false
    }
  }
}

/** A number with the fifteen digits that Excel keeps: 0.3 instead of 0.30000000000000004. */
export function generalNumber(number: number): string {
  return String(Number(number.toPrecision(15)))
}
