import { type Blocks, KeptBlocks } from '../docx/docx-blocks.js'
import { DocxTable } from '../docx/docx-table.js'
import type { RowLayout } from './doc-paragraphs.js'

/** Edges of cells that are no further apart, in twentieths of a point, are the same. */
const TOLERANCE = 60

/** A table of a .doc: how a row is laid out stands at its end. */
export class DocTable {
  readonly #table: DocxTable
  #cells: KeptBlocks[] = []
  #cell = new KeptBlocks()
  /** Edges of the columns: those of the first row of several cells. */
  #grid: readonly number[] | undefined

  constructor(out: Blocks) {
    this.#table = new DocxTable(out)
  }

  /** The cell that is open. */
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
    const known = layout?.merges.length === cells.length ? layout : undefined
    if (cells.length > 1) this.#grid ??= known?.edges
    this.#table.openRow()
    if (isHeader) this.#table.markHeader()
    let column = 0
    for (const [index, cell] of cells.entries()) {
      const { from, to } = this.#columnsOf(index, column, known)
      this.#table.skipColumns(from - column)
      this.#table.openCell()
      this.#table.spanColumns(to - from)
      const merge = known?.merges[index] ?? 'no'
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
    next: number,
    layout: RowLayout | undefined,
  ): { readonly from: number; readonly to: number } {
    const grid = this.#grid
    if (grid === undefined || layout === undefined) return { from: next, to: next + 1 }
    const columnAt = (edge: number): number => grid.filter((one) => one <= edge + TOLERANCE).length - 1
    const from = Math.max(next, columnAt(layout.edges[index] ?? 0))
    return { from, to: Math.max(from + 1, columnAt(layout.edges[index + 1] ?? 0)) }
  }
}
