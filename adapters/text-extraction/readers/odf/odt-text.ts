import { KeptBlocks } from '../docx/docx-blocks.js'
import { DocxFlows } from '../docx/docx-flows.js'
import type { Attributes } from '../docx/docx-xml.js'
import type { MarkedLines } from '../marked-lines.js'
import { OdfNumbers } from './odf-numbers.js'
import type { OdfObjects } from './odf-objects.js'
import type { OdfStyles } from './odf-styles.js'
import { countIn, type OdfHandler } from './odf-walker.js'

/** Drawings that have paragraphs of their own. */
const BOXES = new Set(
  'text-box custom-shape rect ellipse circle line polyline polygon regular-polygon path connector caption measure'
    .split(' ')
    .map((name) => `draw:${name}`),
)

/** A table while it is read. */
interface OpenTable {
  isHeader: boolean
  /** The covered cells that belong to the last cell of the row. */
  covered: number
}

/** Turns the XML of a text document into the paragraphs of its text, and of what stands beside it. */
export class OdtText implements OdfHandler {
  readonly notes: KeptBlocks = new KeptBlocks()
  readonly comments: KeptBlocks = new KeptBlocks()
  readonly charts: KeptBlocks = new KeptBlocks()
  readonly #flows: DocxFlows
  readonly #numbers: OdfNumbers
  readonly #tables: OpenTable[] = []
  #isInStyles = false

  constructor(
    story: MarkedLines,
    private readonly styles: OdfStyles,
    private readonly objects: OdfObjects,
  ) {
    this.#flows = new DocxFlows(story)
    this.#numbers = new OdfNumbers(styles)
  }

  get boxes(): KeptBlocks {
    return this.#flows.boxes
  }

  /** True if the part has more than white space. */
  get hasText(): boolean {
    return this.#flows.characters > 0
  }

  write(text: string): void {
    this.#flows.write(text)
  }

  capture(): void {
    this.#flows.capture()
  }

  endCapture(): string {
    return this.#flows.endCapture()
  }

  /** A header or a footer that the page does not show. */
  hides(name: string, attribute: Attributes): boolean {
    return /^style:(?:header|footer)/.test(name) && attribute('display') === 'false'
  }

  open(name: string, attribute: Attributes): void {
    if (this.#isInStyles) this.styles.open(name, attribute)
    else if (name === 'office:automatic-styles') this.#isInStyles = true
    else if (name === 'text:p') this.#openParagraph(attribute)
    else if (name === 'text:h') this.#openHeading(attribute)
    else if (name === 'text:list') this.#numbers.openList(attribute)
    else if (name === 'text:list-item') this.#numbers.openItem(attribute)
    else if (name === 'draw:object') this.#addObject(attribute(':href'))
    else if (name === 'text:note') this.#openBox(this.notes)
    else if (name === 'office:annotation') this.#openBox(this.comments)
    else if (BOXES.has(name)) this.#openBox(this.boxes)
    else if (name.startsWith('table:')) this.#openTable(name, attribute)
  }

  close(name: string): void {
    if (name === 'office:automatic-styles') this.#isInStyles = false
    else if (this.#isInStyles) this.styles.close(name)
    else if (name === 'text:p' || name === 'text:h') this.#flows.closeParagraph()
    else if (name === 'text:list') this.#numbers.closeList()
    else if (name === 'text:list-item') this.#numbers.closeItem()
    else if (name === 'text:note' || name === 'office:annotation' || BOXES.has(name)) this.#closeBox()
    else if (name.startsWith('table:')) this.#closeTable(name)
    else if (name.startsWith('office:document-')) this.#flows.finish()
  }

  #openParagraph(attribute: Attributes): void {
    this.#flows.openParagraph()
    this.#flows.setLabel(this.#numbers.ofParagraph())
    if (!this.styles.isTitle(attribute('style-name'))) return
    this.#flows.markHeading()
    this.#flows.setLevel(1)
  }

  #openHeading(attribute: Attributes): void {
    const level = countIn(attribute('outline-level'))
    this.#flows.openParagraph()
    this.#flows.setLabel(this.#numbers.ofHeading(level, attribute))
    this.#flows.markHeading()
    this.#flows.setLevel(level)
  }

  #addObject(reference: string | undefined): void {
    this.#flows.write(this.objects.takeFormula(reference))
    for (const line of this.objects.takeChart(reference)) this.charts.add(line)
  }

  #openBox(out: KeptBlocks): void {
    this.#flows.openBox(out)
    this.#numbers.enterBox()
  }

  #closeBox(): void {
    this.#flows.closeBox()
    this.#numbers.leaveBox()
  }

  #openTable(name: string, attribute: Attributes): void {
    const table = this.#tables.at(-1)
    if (name === 'table:table') {
      this.#flows.openTable()
      this.#tables.push({ isHeader: false, covered: 0 })
    } else if (name === 'table:table-header-rows' && table !== undefined) table.isHeader = true
    else if (name === 'table:table-row') {
      this.#flows.table?.openRow()
      if (table?.isHeader === true) this.#flows.table?.markHeader()
      if (table !== undefined) table.covered = 0
    } else if (name === 'table:table-cell') this.#openCell(attribute)
    else if (name === 'table:covered-table-cell') this.#openCovered(attribute)
  }

  #openCell(attribute: Attributes): void {
    const columns = countIn(attribute('number-columns-spanned'))
    const table = this.#tables.at(-1)
    if (table !== undefined) table.covered = columns - 1
    this.#flows.table?.openCell()
    this.#flows.table?.spanColumns(columns)
    if (countIn(attribute('number-rows-spanned')) > 1) this.#flows.table?.mergeDown('begins')
  }

  /** A covered cell belongs to the cell before it in the row, or to one above it. */
  #openCovered(attribute: Attributes): void {
    const table = this.#tables.at(-1)
    if (table === undefined) return
    const count = countIn(attribute('number-columns-repeated'))
    const below = Math.max(0, count - table.covered)
    table.covered = Math.max(0, table.covered - count)
    for (let cell = 0; cell < below && cell < MAX_COLUMNS; cell += 1) {
      this.#flows.table?.openCell()
      this.#flows.table?.mergeDown('continues')
      this.#flows.table?.closeCell()
    }
  }

  #closeTable(name: string): void {
    if (name === 'table:table') {
      this.#flows.closeTable()
      this.#tables.pop()
    } else if (name === 'table:table-row') this.#flows.table?.closeRow()
    else if (name === 'table:table-cell') this.#flows.closeCell()
    else if (name === 'table:table-header-rows') {
      const table = this.#tables.at(-1)
      if (table !== undefined) table.isHeader = false
    }
  }
}

/** A hostile row may have any number of cells that others cover. */
const MAX_COLUMNS = 63
