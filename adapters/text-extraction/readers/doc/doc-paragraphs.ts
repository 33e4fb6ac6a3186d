import type { Piece } from './doc-pieces.js'
import { type PropertyRun, runAt, visitProperties } from './doc-properties.js'

/** The properties in the mark at the end of a paragraph. */
export interface ParagraphProperties {
  readonly isHeading: boolean
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
export interface RowLayout {
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
const TABLE_HEADER = 0x3404
const TABLE_DEFINITION = 0xd608
/** The bytes of a cell in the definition of a table. The first two have its flags. */
const CELL_BYTES = 20
const LAST_HEADING_STYLE = 9

const NONE: ParagraphProperties = {
  isHeading: false,
  depth: 0,
  endsInnerCell: false,
  endsRow: false,
  isHeaderRow: false,
  row: undefined,
}

/** Finds the properties of paragraphs by the positions of their marks. */
export class DocParagraphs {
  readonly #pieces: readonly Piece[]
  readonly #runs: readonly PropertyRun[]
  readonly #known = new Map<PropertyRun, ParagraphProperties>()

  /** @param runs the paragraphs, sorted by offset. Without runs, all paragraphs are plain */
  constructor(pieces: readonly Piece[], runs: readonly PropertyRun[]) {
    this.#pieces = pieces
    this.#runs = runs
  }

  at(position: number): ParagraphProperties {
    const piece = this.#pieceAt(position)
    if (piece === undefined) return NONE
    const run = runAt(this.#runs, piece.offset + (position - piece.position) * piece.bytesPerUnit)
    if (run === undefined) return NONE
    const known = this.#known.get(run) ?? propertiesOf(run)
    this.#known.set(run, known)
    return known
  }

  #pieceAt(position: number): Piece | undefined {
    let low = 0
    let high = this.#pieces.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#pieces[middle]?.position ?? 0) <= position) low = middle + 1
      else high = middle
    }
    return this.#pieces[low - 1]
  }
}

function propertiesOf({ list, style }: PropertyRun): ParagraphProperties {
  const found = { isInTable: false, depth: 0, endsInnerCell: false, endsRow: false, isHeaderRow: false }
  let row: RowLayout | undefined
  visitProperties(list, (property, value) => {
    const isOn = value[0] === 1
    if (property === IN_TABLE) found.isInTable = isOn
    else if (property === DEPTH && value.length === 4) found.depth = value.readInt32LE(0)
    else if (property === ROW_END || property === INNER_ROW_END) found.endsRow ||= isOn
    else if (property === INNER_CELL_END) found.endsInnerCell = isOn
    else if (property === TABLE_HEADER) found.isHeaderRow = isOn
    else if (property === TABLE_DEFINITION) row = rowLayout(value)
  })
  const { isInTable, depth, ...rest } = found
  const isHeading = style >= 1 && style <= LAST_HEADING_STYLE
  return { ...rest, isHeading, depth: Math.max(depth, isInTable ? 1 : 0), row }
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
