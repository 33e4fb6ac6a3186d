// cspell:ignore cellx clmgf clmrg clvmgf clvmrg trhdr trowd
import type { DocxFlows } from '../docx/docx-flows.js'

/** The merges of a cell with the cells beside it and below it. */
interface CellDefinition {
  across: 'no' | 'begins' | 'continues'
  down: 'no' | 'begins' | 'continues'
}

/** A table while it is read. */
interface OpenTable {
  isRowOpen: boolean
  isCellOpen: boolean
  /** The number of the next cell of the row. */
  cell: number
}

const MAX_CELLS = 1_000

/** Puts paragraphs into the cells of tables: RTF marks the end of cells and rows, not the tables. */
export class RtfTables {
  #tables: OpenTable[] = []
  readonly #outer: OpenTable[][] = []
  #definitions: CellDefinition[] = []
  #next: CellDefinition = { across: 'no', down: 'no' }
  #isHeader = false

  constructor(private readonly flows: DocxFlows) {}

  enterBox(): void {
    this.#outer.push(this.#tables)
    this.#tables = []
  }

  leaveBox(): void {
    this.#closeDownTo(0)
    this.#tables = this.#outer.pop() ?? []
  }

  /** Notes a word of the definition of a row, which counts for the next rows too. Other words do nothing. */
  define(word: string): void {
    if (word === 'trowd') {
      this.#definitions = []
      this.#next = { across: 'no', down: 'no' }
      this.#isHeader = false
    } else if (word === 'trhdr') this.#isHeader = true
    else if (word === 'clmgf') this.#next.across = 'begins'
    else if (word === 'clmrg') this.#next.across = 'continues'
    else if (word === 'clvmgf') this.#next.down = 'begins'
    else if (word === 'clvmrg') this.#next.down = 'continues'
    else if (word === 'cellx') {
      if (this.#definitions.length < MAX_CELLS) this.#definitions.push(this.#next)
      this.#next = { across: 'no', down: 'no' }
    }
  }

  /** Prepares the place of the next text. @param depth the number of tables around it */
  enter(depth: number): void {
    this.#closeDownTo(depth)
    while (this.#tables.length < depth) {
      this.#openCell()
      this.flows.openTable()
      this.#tables.push({ isRowOpen: false, isCellOpen: false, cell: 0 })
    }
    this.#openCell()
  }

  /** Ends a cell, also one without text. */
  endCell(depth: number): void {
    this.enter(depth)
    const table = this.#tables.at(-1)
    if (table === undefined) return
    if (table.isCellOpen) this.flows.closeCell()
    table.isCellOpen = false
    table.cell += 1
  }

  endRow(depth: number): void {
    this.#closeDownTo(depth)
    const table = this.#tables.at(-1)
    if (table === undefined) return
    if (table.isCellOpen) this.flows.closeCell()
    if (table.isRowOpen) this.flows.table?.closeRow()
    table.isRowOpen = false
    table.isCellOpen = false
    table.cell = 0
  }

  #openCell(): void {
    const table = this.#tables.at(-1)
    if (table === undefined || table.isCellOpen) return
    if (!table.isRowOpen) {
      this.flows.table?.openRow()
      if (this.#isHeader) this.flows.table?.markHeader()
      table.isRowOpen = true
    }
    // The definition of a nested row comes behind its cells.
    const definition = this.#tables.length === 1 ? this.#definitions[table.cell] : undefined
    if (definition?.across === 'continues' && table.cell > 0) return
    this.flows.table?.openCell()
    table.isCellOpen = true
    if (definition === undefined) return
    const after = this.#definitions.slice(table.cell + 1)
    const covered = after.findIndex(({ across }) => across !== 'continues')
    if (definition.across === 'begins') this.flows.table?.spanColumns(1 + (covered < 0 ? after.length : covered))
    if (definition.down !== 'no') this.flows.table?.mergeDown(definition.down)
  }

  #closeDownTo(depth: number): void {
    while (this.#tables.length > depth) {
      this.endRow(this.#tables.length)
      this.flows.closeTable()
      this.#tables.pop()
    }
  }
}
