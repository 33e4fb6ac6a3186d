import { type Blocks, KeptBlocks, type Story } from './docx-blocks.js'
import { DocxTable } from './docx-table.js'

/** Tables further inside are read as paragraphs. */
const MAX_NESTED_TABLES = 8

/** A text that runs on its own: that of a part, or of a text box in it. */
interface Flow {
  readonly out: Blocks
  readonly tables: DocxTable[]
  /** Tables inside the last one that are not kept as tables. */
  flatTables: number
  paragraph: string
  isHeading: boolean
  /** It is the first letter of the next one, set large. */
  isJoined: boolean
}

/** The paragraphs and tables of a part, and apart from them those of its text boxes. */
export class DocxFlows {
  readonly boxes: KeptBlocks = new KeptBlocks()
  /** Characters so far, white space apart. */
  characters = 0
  readonly #story: Story
  readonly #flows: Flow[]
  readonly #captured: string[] = []

  constructor(story: Story) {
    this.#story = story
    this.#flows = [newFlow(story)]
  }

  write(text: string): void {
    this.#flow.paragraph += text
    if (text.trim() !== '') this.characters += text.length
  }

  /** What is written from here on is kept apart, until {@link captured}. */
  capture(): void {
    this.#captured.push(this.#flow.paragraph)
    this.#flow.paragraph = ''
  }

  captured(): string {
    const text = this.#flow.paragraph
    this.#flow.paragraph = this.#captured.pop() ?? ''
    return text
  }

  openParagraph(): void {
    const flow = this.#flow
    // One inside another, as damaged files have it.
    if (!flow.isJoined && flow.paragraph !== '') this.endParagraph()
    flow.isJoined = false
    flow.isHeading = false
  }

  markHeading(): void {
    this.#flow.isHeading = true
  }

  markJoined(): void {
    this.#flow.isJoined = true
  }

  closeParagraph(): void {
    if (!this.#flow.isJoined) this.endParagraph()
  }

  endParagraph(): void {
    const flow = this.#flow
    const text = flow.paragraph
    flow.paragraph = ''
    flow.isJoined = false
    const blocks = flow.tables.at(-1)?.blocks ?? flow.out
    if (flow.isHeading && blocks === this.#story && text.trim() !== '') this.#story.leaveGap()
    blocks.add(text)
  }

  openBox(): void {
    this.#flows.push(newFlow(this.boxes))
  }

  closeBox(): void {
    if (this.#flows.length < 2) return
    this.#finish()
    this.#flows.pop()
  }

  openTable(): void {
    this.#endRest()
    const { tables, out } = this.#flow
    if (tables.length < MAX_NESTED_TABLES) tables.push(new DocxTable(tables.at(-1)?.blocks ?? out))
    else this.#flow.flatTables += 1
  }

  /** The table that is read row by row now. */
  get table(): DocxTable | undefined {
    return this.#flow.flatTables > 0 ? undefined : this.#flow.tables.at(-1)
  }

  closeCell(): void {
    this.#endRest()
    this.table?.closeCell()
  }

  closeTable(): void {
    this.#endRest()
    if (this.#flow.flatTables > 0) this.#flow.flatTables -= 1
    else this.#flow.tables.pop()?.close()
  }

  /** Gives on what has not been ended by anything. */
  finish(): void {
    while (this.#flows.length > 1) this.closeBox()
    this.#finish()
  }

  #finish(): void {
    this.#endRest()
    for (const table of this.#flow.tables.splice(0).reverse()) table.close()
  }

  #endRest(): void {
    if (this.#flow.paragraph !== '') this.endParagraph()
  }

  get #flow(): Flow {
    return this.#flows.at(-1) ?? newFlow(this.#story)
  }
}

function newFlow(out: Blocks): Flow {
  return { out, tables: [], flatTables: 0, paragraph: '', isHeading: false, isJoined: false }
}
