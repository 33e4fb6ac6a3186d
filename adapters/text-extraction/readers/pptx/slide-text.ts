import { type Blocks, DocxTable, KeptBlocks } from '../docx/docx-blocks.js'
import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'

const TITLES = new Set(['title', 'ctrTitle'])
/** Placeholders that repeat the same text on every slide. */
const REPEATED = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

/** Turns the XML of a slide, its charts and its diagrams into the title and the paragraphs. */
export class SlideText implements XmlVisitor {
  readonly title: KeptBlocks = new KeptBlocks()
  readonly body: KeptBlocks = new KeptBlocks()
  /** True if the presentation does not show the slide. */
  isHidden = false
  readonly #path: string[] = []
  readonly #labels = new Set<string>()
  /** The number of characters before each open `mc:AlternateContent`. */
  readonly #choices: number[] = []
  #characters = 0
  #hiddenDepth = 0
  /** The kind of the placeholder; undefined for other shapes. */
  #placeholder: string | undefined
  #table: DocxTable | undefined
  #isCellSkipped = false
  #paragraph = ''

  constructor(
    /** True to keep only the placeholder with the text, as the slide of notes has it. */
    private readonly isNotes: boolean = false,
  ) {}

  open(name: string, attribute: Attributes): void {
    this.#path.push(name)
    if (this.#hiddenDepth > 0 || this.#isOtherChoice(name)) {
      this.#hiddenDepth += 1
      return
    }
    if (name === 'p:sld') this.isHidden = /^(?:0|false)$/.test(attribute('show') ?? '')
    else if (name === 'p:sp' || name === 'p:graphicFrame') this.#placeholder = undefined
    else if (name === 'p:ph') this.#placeholder = attribute('type') ?? 'body'
    else if (name === 'a:p') this.#endParagraph()
    else if (name === 'a:br') this.#paragraph += '\n'
    else if (name === 'a:tab' && this.#path.at(-2) !== 'a:tabLst') this.#paragraph += '\t'
    else if (name === 'a:tbl') this.#table ??= new DocxTable(this.#blocks)
    else if (name === 'a:tr') this.#table?.openRow()
    else if (name === 'a:tc') this.#openCell(attribute)
    else if (name === 'mc:AlternateContent') this.#choices.push(this.#characters)
  }

  close(name: string): void {
    this.#path.pop()
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth -= 1
      return
    }
    if (name === 'a:p') this.#endParagraph()
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
    if (name === 'a:t') this.#paragraph += text.replaceAll(/[\t\r\n\v]+/g, ' ')
    else if (name === 'c:v' && this.#path.at(-3) === 'c:strCache') this.#addLabel(text.trim())
  }

  /** If a content has several alternatives, only the first one with text is read. */
  #isOtherChoice(name: string): boolean {
    if (name !== 'mc:Choice' && name !== 'mc:Fallback') return false
    return this.#characters > (this.#choices.at(-1) ?? Number.POSITIVE_INFINITY)
  }

  get #blocks(): Blocks {
    return this.#placeholder !== undefined && TITLES.has(this.#placeholder) ? this.title : this.body
  }

  #endParagraph(): void {
    const text = this.#paragraph
    this.#paragraph = ''
    if (text.trim() === '' || this.#isCellSkipped) return
    if (this.#placeholder !== undefined && REPEATED.has(this.#placeholder)) return
    if (this.isNotes && this.#placeholder !== 'body') return
    this.#characters += text.length
    const blocks = this.#table?.blocks ?? this.#blocks
    blocks.add(text.trim())
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

  /** Adds a label once: a chart repeats its labels for each series. */
  #addLabel(label: string): void {
    if (label === '' || this.#labels.has(label)) return
    this.#labels.add(label)
    this.body.add(label)
  }
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}
