import type { MarkedLines } from '../marked-lines.js'
import { type Blocks, DocxTable, KeptBlocks } from './docx-blocks.js'
import { type DocxChunk, paragraphsOf } from './docx-chunk.js'

/** Tables that are nested more deeply are read as paragraphs. */
const MAX_NESTED_TABLES = 8

/** A separate text: the text of a part, or of a text box in it. */
interface Flow {
  readonly out: Blocks
  readonly tables: DocxTable[]
  /** The number of open tables that are read as paragraphs. */
  flatTables: number
  paragraph: string
  /** The automatic number of the paragraph, with the space behind it. */
  label: string
  /** True if an empty line precedes the paragraph. */
  isHeading: boolean
  /** The level of the heading that the paragraph is, if it is one. */
  level: number | undefined
  /** True if the paragraph is a drop cap: the first letter of the next paragraph. */
  isJoined: boolean
}

/** Collects the paragraphs and tables of a part, and separately those of its text boxes. */
export class DocxFlows {
  readonly boxes: KeptBlocks = new KeptBlocks()
  /** The number of characters so far. Texts of only white space do not count. */
  characters = 0
  readonly #flows: Flow[]
  readonly #captured: string[] = []

  constructor(private readonly story: MarkedLines) {
    this.#flows = [newFlow(story)]
  }

  write(text: string): void {
    this.#flow.paragraph += text
    if (text.trim() !== '') this.characters += text.length
  }

  /** Keeps the text that is written from here on separate, until {@link endCapture}. */
  capture(): void {
    this.#captured.push(this.#flow.paragraph)
    this.#flow.paragraph = ''
  }

  endCapture(): string {
    const text = this.#flow.paragraph
    this.#flow.paragraph = this.#captured.pop() ?? ''
    return text
  }

  openParagraph(): void {
    const flow = this.#flow
    // Damaged files may have a paragraph inside another.
    if (!flow.isJoined && flow.paragraph !== '') this.endParagraph()
    if (!flow.isJoined) flow.label = ''
    flow.isJoined = false
    flow.isHeading = false
    flow.level = undefined
  }

  markHeading(): void {
    this.#flow.isHeading = true
  }

  /** @param level `undefined` if the paragraph is text */
  setLevel(level: number | undefined): void {
    this.#flow.level = level
  }

  setLabel(label: string): void {
    // The number of a drop cap belongs to the paragraph that it begins.
    if (label !== '') this.#flow.label = label
  }

  markJoined(): void {
    this.#flow.isJoined = true
  }

  closeParagraph(): void {
    if (!this.#flow.isJoined) this.endParagraph()
  }

  endParagraph(): void {
    const flow = this.#flow
    const isEmpty = flow.paragraph.trim() === ''
    // A number alone says something only in a table.
    const text = isEmpty && flow.tables.length === 0 ? flow.paragraph : flow.label + flow.paragraph
    flow.paragraph = ''
    flow.label = ''
    flow.isJoined = false
    const blocks = flow.tables.at(-1)?.blocks ?? flow.out
    if (flow.isHeading && blocks === this.story && text.trim() !== '') this.story.leaveGap()
    if (blocks === this.story) this.story.addHeading(text, flow.level)
    else blocks.add(text)
  }

  /** Adds an embedded document at its place. */
  addChunk(chunk: DocxChunk): void {
    this.#endOpenParagraph()
    const { tables, out } = this.#flow
    const blocks = tables.at(-1)?.blocks ?? out
    if (blocks === this.story) chunk.addTo(this.story)
    else for (const paragraph of paragraphsOf(chunk)) blocks.add(paragraph)
    this.characters += 1
  }

  /** @param out receives the paragraphs of the box. Default: {@link boxes} */
  openBox(out: Blocks = this.boxes): void {
    this.#flows.push(newFlow(out))
  }

  closeBox(): void {
    if (this.#flows.length < 2) return
    this.#endFlow()
    this.#flows.pop()
  }

  openTable(): void {
    this.#endOpenParagraph()
    const { tables, out } = this.#flow
    if (tables.length < MAX_NESTED_TABLES) tables.push(new DocxTable(tables.at(-1)?.blocks ?? out))
    else this.#flow.flatTables += 1
  }

  /** The current table that is read row by row. */
  get table(): DocxTable | undefined {
    return this.#flow.flatTables > 0 ? undefined : this.#flow.tables.at(-1)
  }

  closeCell(): void {
    this.#endOpenParagraph()
    this.table?.closeCell()
  }

  closeTable(): void {
    this.#endOpenParagraph()
    if (this.#flow.flatTables > 0) this.#flow.flatTables -= 1
    else this.#flow.tables.pop()?.close()
  }

  /** Ends all open boxes, tables and paragraphs. */
  finish(): void {
    while (this.#flows.length > 1) this.closeBox()
    this.#endFlow()
  }

  #endFlow(): void {
    this.#endOpenParagraph()
    for (const table of this.#flow.tables.splice(0).reverse()) table.close()
  }

  #endOpenParagraph(): void {
    if (this.#flow.paragraph !== '') this.endParagraph()
  }

  get #flow(): Flow {
    return this.#flows.at(-1) ?? newFlow(this.story)
  }
}

function newFlow(out: Blocks): Flow {
  return {
    out,
    tables: [],
    flatTables: 0,
    paragraph: '',
    label: '',
    isHeading: false,
    level: undefined,
    isJoined: false,
  }
}
