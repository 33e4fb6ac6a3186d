import { ExtractionError } from '../../../../src/ports/index.js'
import type { Attributes } from '../docx/docx-xml.js'
import type { MarkedLines } from '../marked-lines.js'
import type { ReaderWarning } from '../reader-piece.js'
import { RepeatedTexts } from '../repeated-texts.js'
import { YEAR } from '../table-rows.js'
import { MAX_COLUMNS, SheetMerges } from '../xlsx/sheet-merges.js'
import { SheetRows } from '../xlsx/sheet-rows.js'
import { oneLine } from '../xlsx/sheet-text.js'
import { cellValue, isNumberCell } from './odf-cell.js'
import type { OdfStyles } from './odf-styles.js'
import { countIn, type OdfHandler } from './odf-walker.js'

const MAX_CELL_CHARACTERS = 1_048_576
const MAX_ROW_CHARACTERS = 16 * 1_048_576
const FREE_REPEATED_CHARACTERS = 1_048_576
/** Elements of a sheet without cells, or with those of before a change. */
const LEFT_OUT = /^(?:draw:|office:annotation$|table:(?:shapes|content-validations|dde-links|detective)$)/

/** A row while it is read. */
interface OpenRow {
  readonly repeated: number
  readonly cells: string[]
  readonly columns: number[]
  readonly numbers: Set<number>
  readonly styles: Set<string>
  column: number
  characters: number
  mayBeNames: boolean
}

/** A cell while it is read. */
interface OpenCell {
  readonly attribute: Attributes
  readonly isCovered: boolean
  readonly value: string
  readonly isNumber: boolean
  readonly repeated: number
  readonly rows: number
  readonly style: string
  readonly paragraphs: string[]
  characters: number
}

/** Turns the XML of a spreadsheet into lines, sheet by sheet and row by row. */
export class OdsText implements OdfHandler {
  /** The number of sheets that are not shown. */
  hidden = 0
  /** The repetitions of cells and rows for which there is no room. */
  leftOut = 0
  readonly warnings: ReaderWarning[] = []
  #sheets = 0
  #rows: SheetRows | undefined
  #merges = new SheetMerges()
  #rowNumber = 0
  #row: OpenRow | undefined
  #cell: OpenCell | undefined
  #paragraph = ''
  /** The paragraph before the reading of a word. */
  #beforeReading = ''
  readonly #repeated = new RepeatedTexts(FREE_REPEATED_CHARACTERS)
  #isInStyles = false

  constructor(
    private readonly out: MarkedLines,
    private readonly styles: OdfStyles,
  ) {}

  write(text: string): void {
    this.#paragraph += text
    if (this.#paragraph.length > MAX_CELL_CHARACTERS) throw tooLarge('a cell', MAX_CELL_CHARACTERS)
  }

  capture(): void {
    // The reading of a word is no part of a cell, as in a workbook of Excel.
    this.#beforeReading = this.#paragraph
  }

  endCapture(): string {
    this.#paragraph = this.#beforeReading
    return ''
  }

  hides(name: string, attribute: Attributes): boolean {
    if (name !== 'table:table') return LEFT_OUT.test(name)
    // A table within a cell is no sheet.
    if (this.#row !== undefined) return true
    const isHidden = this.styles.isHidden(attribute('style-name'))
    if (isHidden) this.hidden += 1
    return isHidden
  }

  open(name: string, attribute: Attributes): void {
    if (this.#isInStyles) this.styles.open(name, attribute)
    else if (name === 'office:automatic-styles') this.#isInStyles = true
    else if (name === 'table:table') this.#openSheet(attribute('name') ?? '')
    else if (name === 'table:table-row') this.#openRow(attribute)
    else if (name === 'table:table-cell') this.#openCell(attribute, false)
    else if (name === 'table:covered-table-cell') this.#openCell(attribute, true)
    else if (name === 'text:p') this.#paragraph = ''
  }

  close(name: string): void {
    if (name === 'office:automatic-styles') this.#isInStyles = false
    else if (this.#isInStyles) this.styles.close(name)
    else if (name === 'text:p') this.#closeParagraph()
    else if (name === 'table:table-cell' || name === 'table:covered-table-cell') this.#closeCell()
    else if (name === 'table:table-row') this.#closeRow()
    else if (name === 'table:table') this.#closeSheet()
  }

  #openSheet(name: string): void {
    this.#sheets += 1
    this.#merges = new SheetMerges()
    this.#rows = new SheetRows(this.out, this.#merges)
    this.#rowNumber = 0
    this.out.page(this.#sheets)
    this.out.beginSection(name, 1)
  }

  #closeSheet(): void {
    this.#rows?.end()
    this.warnings.push(...(this.#rows?.warnings() ?? []))
    this.#rows = undefined
  }

  #openRow(attribute: Attributes): void {
    this.#row = {
      repeated: countIn(attribute('number-rows-repeated')),
      cells: [],
      columns: [],
      numbers: new Set(),
      styles: new Set(),
      column: 0,
      characters: 0,
      mayBeNames: true,
    }
    this.#rowNumber += 1
  }

  #openCell(attribute: Attributes, isCovered: boolean): void {
    this.#cell = {
      attribute,
      isCovered,
      value: isCovered ? '' : cellValue(attribute),
      isNumber: isNumberCell(attribute),
      repeated: countIn(attribute('number-columns-repeated')),
      rows: countIn(attribute('number-rows-spanned')),
      style: attribute('style-name') ?? '',
      paragraphs: [],
      characters: 0,
    }
  }

  #closeParagraph(): void {
    const cell = this.#cell
    if (cell === undefined || cell.isCovered) return
    cell.characters += this.#paragraph.length
    if (cell.characters > MAX_CELL_CHARACTERS) throw tooLarge('a cell', MAX_CELL_CHARACTERS)
    cell.paragraphs.push(this.#paragraph)
    this.#paragraph = ''
  }

  #closeCell(): void {
    const [row, cell] = [this.#row, this.#cell]
    this.#cell = undefined
    if (row === undefined || cell === undefined) return
    const shown = oneLine(cell.paragraphs.join('\n'))
    const text = shown === '' ? oneLine(cell.value) : shown
    const column = row.column
    row.column = Math.min(MAX_COLUMNS, row.column + cell.repeated)
    if (text === '' || column >= MAX_COLUMNS) return
    const times = this.#timesFor(text.length, Math.min(cell.repeated, MAX_COLUMNS - column))
    for (let at = column; at < column + times; at += 1) this.#addCell(row, at, text, cell)
    if (cell.rows > 1) this.#merges.set(this.#rowNumber, column, this.#rowNumber + cell.rows - 1)
  }

  #addCell(row: OpenRow, column: number, text: string, cell: OpenCell): void {
    row.cells.push(text)
    row.columns.push(column)
    row.styles.add(cell.style)
    row.characters += text.length
    if (row.characters > MAX_ROW_CHARACTERS) throw tooLarge('a row', MAX_ROW_CHARACTERS)
    if (!cell.isNumber || /\p{L}/u.test(text)) return
    row.numbers.add(column)
    if (!YEAR.test(text)) row.mayBeNames = false
  }

  #closeRow(): void {
    const row = this.#row
    this.#row = undefined
    if (row === undefined) return
    const { repeated, cells, columns, numbers, mayBeNames } = row
    const styles = [...row.styles].sort().join(' ')
    const times = cells.length === 0 ? 0 : this.#timesFor(row.characters, repeated)
    for (let time = 0; time < times; time += 1) {
      this.#rows?.add({ row: this.#rowNumber + time, cells, columns, numbers, mayBeNames, styles })
    }
    this.#rowNumber += repeated - 1
  }

  #timesFor(characters: number, times: number): number {
    const allowed = this.#repeated.timesFor(characters, times)
    this.leftOut += times - allowed
    return allowed
  }
}

function tooLarge(part: string, characters: number): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `The spreadsheet has ${part} of more than ${characters} characters: split it`,
  )
}
