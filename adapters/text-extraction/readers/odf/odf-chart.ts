import { type Blocks, DocxTable } from '../docx/docx-blocks.js'
import type { Attributes } from '../docx/docx-xml.js'
import { cellValue } from './odf-cell.js'
import type { OdfHandler } from './odf-walker.js'

/** Turns the XML of a chart into its titles and a table: `Oslo; Visitors: 4310`. */
export class OdfChart implements OdfHandler {
  readonly #table: DocxTable
  #isInTable = false
  #isHeader = false
  #paragraph = ''
  #value = ''
  #hasText = false

  constructor(private readonly out: Blocks) {
    this.#table = new DocxTable(out)
  }

  write(text: string): void {
    this.#paragraph += text
  }

  capture(): void {
    // Charts have no readings of words.
  }

  endCapture(): string {
    return ''
  }

  open(name: string, attribute: Attributes): void {
    if (name === 'table:table') this.#isInTable = true
    else if (name === 'table:table-header-rows') this.#isHeader = true
    else if (name === 'table:table-row') {
      this.#table.openRow()
      if (this.#isHeader) this.#table.markHeader()
    } else if (name === 'table:table-cell') {
      this.#table.openCell()
      this.#value = cellValue(attribute)
      this.#hasText = false
    } else if (name === 'text:p') this.#paragraph = ''
  }

  close(name: string): void {
    if (name === 'text:p') this.#closeParagraph()
    else if (name === 'table:table-cell') this.#closeCell()
    else if (name === 'table:table-row') this.#table.closeRow()
    else if (name === 'table:table-header-rows') this.#isHeader = false
    else if (name === 'table:table') {
      this.#isInTable = false
      this.#table.close()
    }
  }

  #closeParagraph(): void {
    const text = this.#paragraph.trim()
    this.#paragraph = ''
    if (text === '' || text === 'NaN') return
    this.#hasText = true
    if (this.#isInTable) this.#table.blocks.add(text)
    else this.out.add(text)
  }

  #closeCell(): void {
    if (!this.#hasText && this.#value !== '' && this.#value !== 'NaN') this.#table.blocks.add(this.#value)
    this.#table.closeCell()
  }
}
