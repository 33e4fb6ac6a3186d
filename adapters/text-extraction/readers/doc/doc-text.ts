import { type Blocks, DocxTable, KeptBlocks } from '../docx/docx-blocks.js'
import { MarkedLines } from '../marked-lines.js'
import type { Piece } from './doc-container.js'
import { type PropertyRun, runAt, visitProperties } from './doc-properties.js'

const MAX_NESTED_TABLES = 8
/** The ends of paragraphs, cells and pages. */
const MARKS = /[\r\x07\f]/g
const FIELD_MARKS = /[\x13-\x15]/g
const CELL_MARK = '\x07'

/**
 * Adds a part of the text of a .doc as paragraphs, and its tables row by row.
 *
 * @param text the text of the whole document with Word's marks
 */
export function addStory(text: string, from: number, to: number, paragraphs: DocParagraphs, out: Blocks): void {
  const tables: DocTable[] = []
  const shown = withoutFieldCodes(text.slice(from, to))
  let start = 0
  for (const { 0: mark, index } of shown.matchAll(MARKS)) {
    addParagraph(shown.slice(start, index), mark, paragraphs.at(from + index), tables, out)
    start = index + 1
  }
  if (start < shown.length) addParagraph(shown.slice(start), '\r', paragraphs.at(to), tables, out)
  while (tables.length > 0) tables.pop()?.close()
}

function addParagraph(
  text: string,
  mark: string,
  properties: ParagraphProperties,
  tables: DocTable[],
  out: Blocks,
): void {
  const depth = Math.min(MAX_NESTED_TABLES, Math.max(properties.depth, mark === CELL_MARK ? 1 : 0))
  while (tables.length > depth) tables.pop()?.close()
  while (tables.length < depth) tables.push(new DocTable(tables.at(-1)?.blocks ?? out))
  const table = tables.at(-1)
  if (table !== undefined && properties.endsRow) {
    table.endRow(properties.row, properties.isHeaderRow)
    return
  }
  if (properties.isHeading && out instanceof MarkedLines && table === undefined) out.leaveGap()
  if (out instanceof MarkedLines && table === undefined) out.addHeading(plainText(text), properties.level)
  else (table?.blocks ?? out).add(plainText(text))
  if (mark === CELL_MARK || properties.endsInnerCell) table?.endCell()
}

/** Removes Word's marks. */
function plainText(text: string): string {
  return text
    .replaceAll(/[\v\x0e]/g, '\n')
    .replaceAll('\x1e', '-')
    .replaceAll(/[\0-\x06\b\x0f-\x1f]/g, '')
}

/**
 * Removes the codes of fields. A field is `\x13` code `\x14` result `\x15`, and only its result is text. Zeros replace
 * the removed characters, so that positions stay valid.
 */
function withoutFieldCodes(text: string): string {
  const open: { readonly begin: number; separator: number | undefined }[] = []
  const codes: { readonly begin: number; readonly end: number }[] = []
  for (const { 0: mark, index } of text.matchAll(FIELD_MARKS)) {
    const field = open.at(-1)
    if (mark === '\x13') open.push({ begin: index, separator: undefined })
    else if (mark === '\x14' && field !== undefined) field.separator ??= index
    else if (mark === '\x15' && field !== undefined) {
      open.pop()
      codes.push({ begin: field.begin, end: (field.separator ?? index) + 1 })
    }
  }
  let result = ''
  let done = 0
  for (const { begin, end } of codes.sort((first, second) => first.begin - second.begin)) {
    // Fields inside the code of another field are already removed.
    if (begin < done) continue
    result += text.slice(done, begin) + '\0'.repeat(end - begin)
    done = end
  }
  return result + text.slice(done)
}

/** The properties in the mark at the end of a paragraph. */
interface ParagraphProperties {
  /** True if an empty line precedes the paragraph. */
  readonly isHeading: boolean
  /** The level of the heading that the paragraph is, if it is one. */
  readonly level: number | undefined
  /** The number of tables around the paragraph. */
  readonly depth: number
  /** True if it ends a cell of a nested table. */
  readonly endsInnerCell: boolean
  /** True if it only marks the end of a row. */
  readonly endsRow: boolean
  readonly isHeaderRow: boolean
  readonly row: RowLayout | undefined
}

/** The layout of the cells in a row. */
interface RowLayout {
  /** The edges of the cells from the left: one more than the number of cells. */
  readonly edges: readonly number[]
  readonly merges: readonly ('no' | 'begins' | 'continues')[]
}

/** Properties of paragraphs and tables ([MS-DOC] 2.6.2, 2.6.3). */
const IN_TABLE = 0x2416
const ROW_END = 0x2417
const INNER_CELL_END = 0x244b
const INNER_ROW_END = 0x244c
const DEPTH = 0x6649
const OUTLINE_LEVEL = 0x2640
/** The outline level of text. */
const TEXT_LEVEL = 9
const TABLE_HEADER = 0x3404
const TABLE_DEFINITION = 0xd608
/** The bytes of a cell in the definition of a table. The first two have its flags. */
const CELL_BYTES = 20
const LAST_HEADING_STYLE = 9

const NONE: ParagraphProperties = {
  isHeading: false,
  level: undefined,
  depth: 0,
  endsInnerCell: false,
  endsRow: false,
  isHeaderRow: false,
  row: undefined,
}

/** Finds the properties of paragraphs by the positions of their marks. */
export class DocParagraphs {
  readonly #known = new Map<PropertyRun, ParagraphProperties>()

  /**
   * @param runs the paragraphs, sorted by offset. Without runs, all paragraphs are plain
   * @param levels the levels of headings by the number of the style
   */
  constructor(
    private readonly pieces: readonly Piece[],
    private readonly runs: readonly PropertyRun[],
    private readonly levels: ReadonlyMap<number, number> = new Map(),
  ) {}

  at(position: number): ParagraphProperties {
    const piece = this.#pieceAt(position)
    if (piece === undefined) return NONE
    const run = runAt(this.runs, piece.offset + (position - piece.position) * piece.bytesPerUnit)
    if (run === undefined) return NONE
    const known = this.#known.get(run) ?? propertiesOf(run, this.levels)
    this.#known.set(run, known)
    return known
  }

  #pieceAt(position: number): Piece | undefined {
    let low = 0
    let high = this.pieces.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.pieces[middle]?.position ?? 0) <= position) low = middle + 1
      else high = middle
    }
    return this.pieces[low - 1]
  }
}

function propertiesOf({ list, style }: PropertyRun, levels: ReadonlyMap<number, number>): ParagraphProperties {
  const found = { isInTable: false, depth: 0, endsInnerCell: false, endsRow: false, isHeaderRow: false }
  let row: RowLayout | undefined
  let level = levels.get(style)
  visitProperties(list, (property, value) => {
    const isOn = value[0] === 1
    if (property === IN_TABLE) found.isInTable = isOn
    else if (property === DEPTH && value.length === 4) found.depth = value.readInt32LE(0)
    else if (property === ROW_END || property === INNER_ROW_END) found.endsRow ||= isOn
    else if (property === INNER_CELL_END) found.endsInnerCell = isOn
    else if (property === TABLE_HEADER) found.isHeaderRow = isOn
    else if (property === OUTLINE_LEVEL && value.length > 0) level = levelOfOutline(value[0] ?? TEXT_LEVEL)
    else if (property === TABLE_DEFINITION) row = rowLayout(value)
  })
  const { isInTable, depth, ...rest } = found
  const isHeading = style >= 1 && style <= LAST_HEADING_STYLE
  return { ...rest, isHeading, level, depth: Math.max(depth, isInTable ? 1 : 0), row }
}

function levelOfOutline(outline: number): number | undefined {
  return outline >= TEXT_LEVEL ? undefined : outline + 1
}

/** The edges of the cells and their vertical merges ([MS-DOC] 2.9.316). */
function rowLayout(definition: Buffer): RowLayout | undefined {
  const count = definition[0] ?? 0
  const cellsStart = 1 + (count + 1) * 2
  if (cellsStart > definition.length) return undefined
  const edges = Array.from({ length: count + 1 }, (_, index) => definition.readInt16LE(1 + index * 2))
  const merges = Array.from({ length: count }, (_, index) => {
    const flags = definition[cellsStart + index * CELL_BYTES] ?? 0
    const vertical = (flags >>> 5) & 3
    return vertical === 0 ? 'no' : vertical === 1 ? 'continues' : 'begins'
  })
  return { edges, merges }
}

/** Edges of cells that differ by at most this, in twentieths of a point, are the same. */
const TOLERANCE = 60

/** A table of a .doc. The layout of a row comes after its cells. */
class DocTable {
  readonly #table: DocxTable
  #cells: KeptBlocks[] = []
  #cell = new KeptBlocks()
  /** The edges of the columns: those of the first row with several cells. */
  #grid: readonly number[] | undefined

  constructor(out: Blocks) {
    this.#table = new DocxTable(out)
  }

  /** The open cell. */
  get blocks(): Blocks {
    return this.#cell
  }

  endCell(): void {
    this.#cells.push(this.#cell)
    this.#cell = new KeptBlocks()
  }

  endRow(layout: RowLayout | undefined, isHeader: boolean): void {
    if (this.#cell.paragraphs.length > 0) this.endCell()
    const cells = this.#cells
    this.#cells = []
    const validLayout = layout?.merges.length === cells.length ? layout : undefined
    if (cells.length > 1) this.#grid ??= validLayout?.edges
    this.#table.openRow()
    if (isHeader) this.#table.markHeader()
    let column = 0
    for (const [index, cell] of cells.entries()) {
      const { from, to } = this.#columnsOf(index, column, validLayout)
      this.#table.skipColumns(from - column)
      this.#table.openCell()
      this.#table.spanColumns(to - from)
      const merge = validLayout?.merges[index] ?? 'no'
      if (merge !== 'no') this.#table.mergeDown(merge)
      for (const paragraph of cell.paragraphs) this.#table.blocks.add(paragraph)
      this.#table.closeCell()
      column = to
    }
    this.#table.closeRow()
  }

  close(): void {
    if (this.#cells.length > 0 || this.#cell.paragraphs.length > 0) this.endRow(undefined, false)
    this.#table.close()
  }

  #columnsOf(
    index: number,
    nextColumn: number,
    layout: RowLayout | undefined,
  ): { readonly from: number; readonly to: number } {
    const grid = this.#grid
    if (grid === undefined || layout === undefined) return { from: nextColumn, to: nextColumn + 1 }
    const columnAt = (edge: number): number => grid.filter((gridEdge) => gridEdge <= edge + TOLERANCE).length - 1
    const from = Math.max(nextColumn, columnAt(layout.edges[index] ?? 0))
    return { from, to: Math.max(from + 1, columnAt(layout.edges[index + 1] ?? 0)) }
  }
}
