import type { MarkedLines } from '../marked-lines.js'
import { Formula } from '../office/formula.js'
import type { DocxTable, KeptBlocks } from './docx-blocks.js'
import type { DocxChunk } from './docx-chunk.js'
import { DocxFlows } from './docx-flows.js'
import { FormField } from './docx-form-field.js'
import type { DocxNumbering } from './docx-numbering.js'
import { ParagraphNumber } from './docx-paragraph-number.js'
import { type DocxStyles, headingLevel, outlineLevel } from './docx-styles.js'
import { symbol, withSymbols } from './docx-symbols.js'
import { type Attributes, isOn, type XmlVisitor } from './docx-xml.js'

const TEXT = /^[wma]:t$/
/** Elements that Word does not show: deletions, field codes, and properties before a change. */
const HIDDEN = /^w:(del|moveFrom|delText|instrText|delInstrText|\w+Change)$/
const NOTE = /^w:(footnote|endnote)$/
const BOX = /^w:txbxContent$|:txBody$/
const WRITTEN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'w:tab': '\t',
    'w:ptab': '\t',
    'w:br': '\n',
    'w:cr': '\n',
    'a:br': '\n',
    'w:noBreakHyphen': '-',
  }),
)
/** Actions for the elements of tables and cells. */
const TABLE: ReadonlyMap<string, (table: DocxTable, value: string | undefined) => void> = new Map(
  Object.entries<(table: DocxTable, value: string | undefined) => void>({
    'w:tr': (table) => {
      table.openRow()
    },
    'w:tc': (table) => {
      table.openCell()
    },
    'w:tblHeader': (table, value) => {
      if (isOn(value)) table.markHeader()
    },
    'w:gridBefore': (table, value) => {
      table.skipColumns(Number(value))
    },
    'w:gridSpan': (table, value) => {
      table.spanColumns(Number(value))
    },
    'w:vMerge': (table, value) => {
      table.mergeDown(value === 'restart' ? 'begins' : 'continues')
    },
  }),
)

/** Turns the XML of a .docx part into the paragraphs of its text and of its text boxes. */
export class DocxText implements XmlVisitor {
  /** The name of the outermost element. */
  root: string | undefined
  /** The number of embedded documents that are left out. */
  embedded = 0
  /** Receives the paragraphs of the text. */
  readonly story: MarkedLines
  readonly #flows: DocxFlows
  readonly #formula: Formula
  readonly #number: ParagraphNumber
  readonly #field: FormField = new FormField()
  readonly #path: string[] = []
  /** The number of characters before each open `mc:AlternateContent`. */
  readonly #choices: number[] = []
  #hiddenDepth = 0
  #font: string | undefined
  #ruby = ''

  constructor(
    story: MarkedLines,
    private readonly styles: DocxStyles,
    numbering: DocxNumbering,
    /** Embedded documents by the ids of their references. */
    private readonly chunks: ReadonlyMap<string, DocxChunk> = new Map(),
  ) {
    this.story = story
    this.#number = new ParagraphNumber(styles, numbering)
    this.#flows = new DocxFlows(story)
    this.#formula = new Formula(this.#flows)
  }

  get boxes(): KeptBlocks {
    return this.#flows.boxes
  }

  /** True if the part has more than white space. */
  get hasText(): boolean {
    return this.#flows.characters > 0
  }

  open(name: string, attribute: Attributes): void {
    this.root ??= name
    const parent = this.#path.at(-1)
    // Properties come first in a paragraph.
    if (parent === 'w:p' && name !== 'w:pPr') this.#flows.setLabel(this.#number.take())
    this.#path.push(name)
    if (this.#isDeletedMark(name)) this.#number.drop()
    if (this.#hiddenDepth > 0 || this.#isHidden(name, attribute)) {
      this.#hiddenDepth += 1
      return
    }
    const written = WRITTEN.get(name)
    if (written !== undefined && parent !== 'w:tabs') this.#flows.write(written)
    const { table } = this.#flows
    if (table !== undefined) TABLE.get(name)?.(table, attribute('val'))
    this.#openText(name, parent, attribute)
    if (name.startsWith('m:')) this.#formula.open(name, parent, attribute)
    if (BOX.test(name)) this.#flows.openBox()
  }

  close(name: string): void {
    this.#path.pop()
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth -= 1
      return
    }
    if (name.startsWith('m:')) this.#formula.close(name, this.#path.at(-1))
    if (BOX.test(name)) this.#flows.closeBox()
    this.#closeText(name)
    if (this.#path.length === 0) this.#flows.finish()
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0) return
    const name = this.#path.at(-1) ?? ''
    if (TEXT.test(name)) this.#flows.write(withSymbols(text.replaceAll(/[\t\r\n]+/g, ' '), this.#font))
  }

  #openText(name: string, parent: string | undefined, attribute: Attributes): void {
    if (name === 'w:r') this.#font = undefined
    else if (name === 'w:rFonts' && this.#path.at(-3) === 'w:r') this.#font = attribute('ascii') ?? attribute('hAnsi')
    else if (name === 'w:p' || name === 'a:p') this.#openParagraph(name)
    else if (name === 'w:numId' && parent === 'w:numPr') this.#number.setList(attribute('val') ?? '')
    else if (name === 'w:ilvl' && parent === 'w:numPr') this.#number.setLevel(Number(attribute('val')))
    else if (name === 'w:pStyle') this.#openStyle(attribute('val') ?? '')
    else if (name === 'w:framePr' && /^(drop|margin)$/.test(attribute('dropCap') ?? '')) this.#flows.markJoined()
    else if (name === 'w:outlineLvl' && parent === 'w:pPr') this.#openOutline(attribute('val'))
    else if (name === 'w:tbl') this.#flows.openTable()
    else if (name === 'w:sym') this.#flows.write(symbol(attribute('font'), attribute('char')))
    else if (name === 'w:rt') this.#flows.capture()
    else if (name === 'v:textpath') this.boxes.add(attribute('string') ?? '')
    else if (name === 'mc:AlternateContent') this.#choices.push(this.#flows.characters)
    else if (name === 'w:altChunk') this.#addChunk(attribute(':id') ?? '')
    else this.#field.open(name, parent, attribute)
  }

  #addChunk(id: string): void {
    const chunk = this.chunks.get(id)
    if (chunk === undefined) this.embedded += 1
    else this.#flows.addChunk(chunk)
  }

  #openParagraph(name: string): void {
    this.#flows.openParagraph()
    if (name === 'w:p') this.#number.open()
  }

  #openStyle(style: string): void {
    this.#number.setStyle(style)
    if (this.styles.isHeading(style)) this.#flows.markHeading()
    this.#flows.setLevel(this.styles.level(style))
  }

  #openOutline(value: string | undefined): void {
    if (value !== '9') this.#flows.markHeading()
    this.#flows.setLevel(headingLevel(outlineLevel(value)))
  }

  #closeText(name: string): void {
    if (name === 'w:p' || name === 'a:p') this.#closeParagraph(name)
    else if (name === 'w:tbl') this.#flows.closeTable()
    else if (name === 'w:tr') this.#flows.table?.closeRow()
    else if (name === 'w:tc') this.#flows.closeCell()
    else if (name === 'w:rt') this.#ruby = this.#flows.endCapture()
    else if (name === 'w:ruby') this.#writeRuby()
    else if (name === 'mc:AlternateContent') this.#choices.pop()
    else if (name === 'w:ffData') this.#flows.write(this.#field.take())
  }

  #closeParagraph(name: string): void {
    if (name === 'w:p') this.#flows.setLabel(this.#number.take())
    this.#flows.closeParagraph()
  }

  /** True for the mark that says that the end of a paragraph is deleted or moved away. */
  #isDeletedMark(name: string): boolean {
    return (name === 'w:del' || name === 'w:moveFrom') && this.#path.at(-2) === 'w:rPr' && this.#path.at(-3) === 'w:pPr'
  }

  /** True for hidden elements. If a content has several alternatives, only the first one with text is read. */
  #isHidden(name: string, attribute: Attributes): boolean {
    if (HIDDEN.test(name)) return true
    if (name === 'mc:Choice' || name === 'mc:Fallback')
      return this.#flows.characters > (this.#choices.at(-1) ?? Number.POSITIVE_INFINITY)
    return NOTE.test(name) && (attribute('type') ?? '').includes('eparator')
  }

  /** Writes the reading of a word (ruby) in parentheses after the word. */
  #writeRuby(): void {
    if (this.#ruby.trim() !== '') this.#flows.write(`(${this.#ruby})`)
    this.#ruby = ''
  }
}
