import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'
import { generalNumber, NumberTexts } from '../office/number-texts.js'

/** Formats that files name by number only (ECMA-376, part 1, 18.8.30). The look of dates depends on the reader's country, so they are written as ISO 8601. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0 ;(#,##0)',
  38: '#,##0 ;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
}
/** Formats of dates in East Asian versions of Excel. */
const ASIAN_DATES = [27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]
const ISO_DATE = 'yyyy-mm-dd'
/** Excel allows no more styles. */
const MAX_STYLES = 65_536

/** The formats of the styles of a workbook, and the texts of numbers in them. */
export class NumberFormats implements XmlVisitor {
  /** True if days count from 1904, as in old workbooks of the Mac. */
  startsIn1904 = false
  readonly #codes = new Map<number, string>()
  /** The number of the format of each style. */
  readonly #styles: number[] = []
  readonly #texts = new NumberTexts()
  #isInStyles = false

  open(name: string, attribute: Attributes): void {
    if (name === 'x:numFmt') this.#codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '')
    else if (name === 'x:cellXfs') this.#isInStyles = true
    else if (name === 'x:xf' && this.#isInStyles && this.#styles.length < MAX_STYLES) {
      this.#styles.push(Number(attribute('numFmtId') ?? '0'))
    }
  }

  close(name: string): void {
    if (name === 'x:cellXfs') this.#isInStyles = false
  }

  text(): void {
    // Formats are attributes.
  }

  /** The text of a number as Excel shows it. @param value as the file has it */
  show(value: string, style: number): string {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) return value
    const code = this.#codeOf(this.#styles[style] ?? 0)
    return code === undefined ? generalNumber(number) : this.#texts.show(number, code, this.startsIn1904)
  }

  /** @returns `undefined` for the general format */
  #codeOf(id: number): string | undefined {
    const code = this.#codes.get(id) ?? BUILT_IN[id] ?? (ASIAN_DATES.includes(id) ? ISO_DATE : undefined)
    return code === undefined || code === '@' || /^general$/i.test(code) ? undefined : code
  }
}
