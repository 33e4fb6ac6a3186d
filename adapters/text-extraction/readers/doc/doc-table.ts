import { type Blocks, KeptBlocks } from '../docx/docx-blocks.js'
import { DocxTable } from '../docx/docx-table.js'
import type { RowLayout } from './doc-paragraphs.js'

/** Edges of cells that differ by at most this, in twentieths of a point, are the same. */
const TOLERANCE = 60

/** A table of a .doc. The layout of a row comes after its cells. */
export class DocTable {
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
