import { ExtractionError } from '../../../../src/ports/index.js'
import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'
import type { MarkedLines } from '../marked-lines.js'
import type { ReaderWarning } from '../reader-piece.js'
import { YEAR } from '../table-rows.js'
import type { NumberFormats } from './number-formats.js'
import { columnOf, MAX_COLUMNS, type SheetMerges } from './sheet-merges.js'
import { SheetRows } from './sheet-rows.js'
import type { StringTable } from './string-table.js'

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
  readonly #rows: SheetRows
  #row = 0
  #column = -1
  #cells: string[] = []
  #columns: number[] = []
  /** The columns with numbers, and the styles of the row. */
  #numbers = new Set<number>()
  #styles = new Set<number>()
  #rowCharacters = 0
  /** True if no cell of the row is a number, except years. */
  #mayBeNames = true
  #type = 'n'
  #style = 0
  #value = ''
  #isValue = false
  #phoneticDepth = 0

  constructor(
    out: MarkedLines,
    private readonly parts: WorkbookParts,
    merges: SheetMerges,
  ) {
    this.#rows = new SheetRows(out, merges)
  }

  warnings(): ReaderWarning[] {
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
    else if (name === 'x:worksheet') this.#rows.end()
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
    this.#numbers = new Set()
    this.#styles = new Set()
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
    this.#styles.add(this.#style)
    if (this.#type === 'n' && !/\p{L}/u.test(text)) {
      this.#numbers.add(this.#column)
      if (!YEAR.test(text)) this.#mayBeNames = false
    }
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
    if (this.#cells.length === 0) return
    this.#rows.add({
      row: this.#row,
      cells: this.#cells,
      columns: this.#columns,
      numbers: this.#numbers,
      mayBeNames: this.#mayBeNames,
      styles: [...this.#styles].sort((first, second) => first - second).join(' '),
    })
  }
}

/** The text of a cell: a row is a line. The lines of a long cell stay. */
export function oneLine(text: string): string {
  // Excel writes control characters in this way.
  const decoded = text.includes('_x') ? text.replaceAll(/_x000D_/gi, '') : text
  return decoded.length <= 200
    ? decoded.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim()
    : decoded.replaceAll(/\r\n?/g, '\n').trim()
}

function tooLarge(part: string, characters: number): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `The workbook has ${part} of more than ${characters} characters: split it`,
  )
}
