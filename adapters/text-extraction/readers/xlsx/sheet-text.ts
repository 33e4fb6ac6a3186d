import { ExtractionError, type ExtractionWarning } from '../../../../src/ports/index.js'
import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'
import type { MarkedLines } from '../marked-lines.js'
import { TableRows, YEAR } from '../table-rows.js'
import type { NumberFormats } from './number-formats.js'
import type { StringTable } from './string-table.js'

/** A sheet has no more columns. */
const MAX_COLUMNS = 16_384
/** Excel allows 32,767 characters in a cell. */
const MAX_CELL_CHARACTERS = 1_048_576
const MAX_ROW_CHARACTERS = 16 * 1_048_576

/** The parts of a workbook that its sheets refer to. */
export interface WorkbookParts {
  readonly strings: StringTable
  readonly formats: NumberFormats
}

/** Turns the XML of a sheet into lines, row by row. */
export class SheetText implements XmlVisitor {
  /** The number of cells whose text is missing in the file. */
  missing = 0
  readonly #rows = new SheetRows()
  #row = 0
  #column = -1
  #cells: string[] = []
  #columns: number[] = []
  #rowCharacters = 0
  /** True if no cell of the row is a number, except years. */
  #mayBeNames = true
  #type = 'n'
  #style = 0
  #value = ''
  #isValue = false
  #phoneticDepth = 0

  constructor(
    private readonly out: MarkedLines,
    private readonly parts: WorkbookParts,
  ) {}

  warnings(): ExtractionWarning[] {
    return this.#rows.warnings()
  }

  open(name: string, attribute: Attributes): void {
    if (name === 'x:row') this.#openRow(Number(attribute('r')))
    else if (name === 'x:c') this.#openCell(attribute)
    else if (name === 'x:rPh') this.#phoneticDepth += 1
    this.#isValue = name === 'x:v' || (name === 'x:t' && this.#phoneticDepth === 0)
  }

  close(name: string): void {
    this.#isValue = false
    if (name === 'x:c') this.#closeCell()
    else if (name === 'x:row') this.#closeRow()
    else if (name === 'x:rPh') this.#phoneticDepth -= 1
  }

  text(text: string): void {
    if (!this.#isValue) return
    this.#value += text
    if (this.#value.length > MAX_CELL_CHARACTERS) throw tooLarge('a cell', MAX_CELL_CHARACTERS)
  }

  #openRow(number: number): void {
    this.#row = Number.isInteger(number) && number > this.#row ? number : this.#row + 1
    this.#column = -1
    this.#cells = []
    this.#columns = []
    this.#rowCharacters = 0
    this.#mayBeNames = true
  }

  #openCell(attribute: Attributes): void {
    this.#column = columnOf(attribute('r')) ?? this.#column + 1
    this.#type = attribute('t') ?? 'n'
    this.#style = Number(attribute('s') ?? '0')
    this.#value = ''
  }

  #closeCell(): void {
    const text = this.#shown()
    // A cell behind a later one is damaged: it stays in the order of the file.
    if (text.trim() === '' || this.#cells.length >= MAX_COLUMNS) return
    this.#cells.push(text)
    this.#columns.push(this.#column)
    this.#rowCharacters += text.length
    if (this.#type === 'n' && !YEAR.test(text) && !/\p{L}/u.test(text)) this.#mayBeNames = false
    if (this.#rowCharacters > MAX_ROW_CHARACTERS) throw tooLarge('a row', MAX_ROW_CHARACTERS)
  }

  #shown(): string {
    const value = this.#value
    if (this.#type === 'n') return this.parts.formats.show(value, this.#style)
    if (this.#type === 'b') return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value
    if (this.#type !== 's' || value.trim() === '') return oneLine(value)
    const shared = this.parts.strings.get(Number(value))
    if (shared === undefined) this.missing += 1
    return oneLine(shared ?? '')
  }

  #closeRow(): void {
    if (this.#cells.length > 0) this.#rows.write(this.out, this.#row, this.#cells, this.#columns, this.#mayBeNames)
  }
}

/** A row is a line. The lines of a long cell stay. */
function oneLine(text: string): string {
  // Excel writes control characters in this way.
  const decoded = text.includes('_x') ? text.replaceAll(/_x000D_/gi, '') : text
  return decoded.length <= 200
    ? decoded.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim()
    : decoded.replaceAll(/\r\n?/g, '\n').trim()
}

/** The column of a reference such as `AB12`, from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^\$?([A-Z]{1,3})\$?\d/i.exec(reference ?? '')?.[1]?.toUpperCase()
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return Math.min(column, MAX_COLUMNS) - 1
}

function tooLarge(part: string, characters: number): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `The workbook has ${part} of more than ${characters} characters: split it`,
  )
}

/** Decides which rows name the columns of the rows below them. */
class SheetRows {
  readonly #table = new TableRows()
  #hasHeader = false
  /** True until the first row of several cells, and again behind an empty row. */
  #mayBeHeader = true
  #last = 0

  warnings(): ExtractionWarning[] {
    return this.#table.warnings()
  }

  write(
    out: MarkedLines,
    row: number,
    cells: readonly string[],
    columns: readonly number[],
    mayBeNames: boolean,
  ): void {
    const isAfterGap = row > this.#last + 1
    if (isAfterGap) out.leaveGap()
    this.#last = row
    // A table below another one has its own names, if it is wider. Otherwise the row may be one of the same table.
    if (isAfterGap && (!this.#hasHeader || columns.some((column) => !this.#table.hasName(column))))
      this.#mayBeHeader = true
    if (cells.length > 1 && this.#mayBeHeader) {
      this.#mayBeHeader = false
      if (mayBeNames && areNames(cells) && this.#table.useAsHeader(cells, columns)) {
        this.#hasHeader = true
        out.add(this.#table.plainLine(cells))
        return
      }
    }
    out.add(this.#table.line(cells, columns))
  }
}

/** Names differ, and "Name:" is a label of the cell beside it. */
function areNames(cells: readonly string[]): boolean {
  return new Set(cells).size === cells.length && !cells.some((cell) => cell.endsWith(':'))
}
