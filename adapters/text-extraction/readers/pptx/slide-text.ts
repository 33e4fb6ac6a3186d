import { type Blocks, DocxTable, KeptBlocks } from '../docx/docx-blocks.js'
import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'
import { Formula } from '../office/formula.js'
import { isFirst } from '../office/slide-lines.js'

const TITLES = new Set(['title', 'ctrTitle'])
/** Placeholders without a text of their own. */
const EMPTY = new Set(['sldNum', 'sldImg'])
/** Placeholders that repeat the same text on every slide: only the first of them counts. */
const REPEATED = new Set(['dt', 'ftr', 'hdr'])

/** Turns the XML of a slide and its diagrams into the title and the paragraphs. */
export class SlideText implements XmlVisitor {
  readonly title: KeptBlocks = new KeptBlocks()
  readonly body: KeptBlocks = new KeptBlocks()
  /** True if the presentation does not show the slide. */
  isHidden = false
  readonly #path: string[] = []
  /** The number of characters before each open `mc:AlternateContent`. */
  readonly #choices: number[] = []
  #characters = 0
  #hiddenDepth = 0
  /** The kind of the placeholder; undefined for other shapes. */
  #placeholder: string | undefined
  #table: DocxTable | undefined
  #isCellSkipped = false
  #paragraph = ''
  /** The text before each open part of a formula. */
  readonly #captured: string[] = []
  readonly #formula: Formula = new Formula(this)
  /** True if the paragraph has a text that the program computes, such as the date of today. */
  #isComputed = false

  constructor(
    /** The texts of repeated placeholders so far. */
    private readonly repeated: Set<string>,
    /** True to keep only the placeholder with the text, as the slide of notes has it. */
    private readonly isNotes: boolean = false,
  ) {}

  write(text: string): void {
    this.#paragraph += text
  }

  capture(): void {
    this.#captured.push(this.#paragraph)
    this.#paragraph = ''
  }

  endCapture(): string {
    const text = this.#paragraph
    this.#paragraph = this.#captured.pop() ?? ''
    return text
  }

  open(name: string, attribute: Attributes): void {
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (this.#hiddenDepth > 0 || this.#isOtherChoice(name)) {
      this.#hiddenDepth += 1
      return
    }
    if (name === 'p:sld') this.isHidden = /^(?:0|false)$/.test(attribute('show') ?? '')
    else if (name === 'p:sp' || name === 'p:graphicFrame') this.#placeholder = undefined
    else if (name === 'p:ph') this.#placeholder = attribute('type') ?? 'body'
    else if (name === 'a:p') this.#endParagraph()
    else if (name === 'a:fld') this.#isComputed = true
    else if (name === 'a:br') this.#paragraph += '\n'
    else if (name === 'a:tab' && parent !== 'a:tabLst') this.#paragraph += '\t'
    else if (name === 'a:tbl') this.#table ??= new DocxTable(this.#blocks)
    else if (name === 'a:tr') this.#table?.openRow()
    else if (name === 'a:tc') this.#openCell(attribute)
    else if (name === 'mc:AlternateContent') this.#choices.push(this.#characters + this.#paragraph.length)
    else if (name.startsWith('m:')) this.#formula.open(name, parent, attribute)
  }

  close(name: string): void {
    this.#path.pop()
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth -= 1
      return
    }
    if (name.startsWith('m:')) this.#formula.close(name, this.#path.at(-1))
    else if (name === 'a:p') this.#endParagraph()
    else if (name === 'p:sp') this.#placeholder = undefined
    else if (name === 'a:tc') this.#closeCell()
    else if (name === 'a:tr') this.#table?.closeRow()
    else if (name === 'a:tbl') {
      this.#table?.close()
      this.#table = undefined
    } else if (name === 'mc:AlternateContent') this.#choices.pop()
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0) return
    const name = this.#path.at(-1)
    if (name === 'a:t' || name === 'm:t') this.#paragraph += text.replaceAll(/[\t\r\n\v]+/g, ' ')
  }

  /** If a content has several alternatives, only the first one with text is read. */
  #isOtherChoice(name: string): boolean {
    if (name !== 'mc:Choice' && name !== 'mc:Fallback') return false
    return this.#characters + this.#paragraph.length > (this.#choices.at(-1) ?? Number.POSITIVE_INFINITY)
  }

  get #blocks(): Blocks {
    return this.#placeholder !== undefined && TITLES.has(this.#placeholder) ? this.title : this.body
  }

  #endParagraph(): void {
    const text = this.#paragraph
    const isComputed = this.#isComputed
    this.#paragraph = ''
    this.#isComputed = false
    if (text.trim() === '' || this.#isCellSkipped) return
    if (EMPTY.has(this.#placeholder ?? '')) return
    if (REPEATED.has(this.#placeholder ?? '') && (isComputed || !this.#isFirst(text.trim()))) return
    if (this.isNotes && this.#placeholder !== 'body') return
    this.#characters += text.length
    const blocks = this.#table?.blocks ?? this.#blocks
    blocks.add(text.trim())
  }

  #isFirst(text: string): boolean {
    return !this.isHidden && !this.isNotes && isFirst(text, this.repeated)
  }

  /** A merged cell is there again in each column and row that it covers. */
  #openCell(attribute: Attributes): void {
    this.#isCellSkipped = isTrue(attribute('hMerge'))
    if (this.#isCellSkipped || this.#table === undefined) return
    this.#table.openCell()
    this.#table.spanColumns(Number(attribute('gridSpan') ?? '1'))
    if (Number(attribute('rowSpan') ?? '1') > 1) this.#table.mergeDown('begins')
    else if (isTrue(attribute('vMerge'))) this.#table.mergeDown('continues')
  }

  #closeCell(): void {
    this.#endParagraph()
    if (!this.#isCellSkipped) this.#table?.closeCell()
    this.#isCellSkipped = false
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}
