import type { MarkedLines } from '../marked-lines.js'
import type { DocxTable, KeptBlocks } from './docx-blocks.js'
import { DocxFlows } from './docx-flows.js'
import { type DocxHeadings, headingLevel, outlineLevel } from './docx-headings.js'
import { symbol, withSymbols } from './docx-symbols.js'
import type { Attributes, XmlVisitor } from './docx-xml.js'

const TEXT = /^[wma]:t$/
/** Elements that Word does not show: deletions, field codes, and properties before a change. */
const HIDDEN = /^w:(del|moveFrom|delText|instrText|delInstrText|\w+Change)$/
const NOTE = /^w:(footnote|endnote)$/
const BOX = /^w:txbxContent$|:txBody$/
const WRITTEN: Readonly<Record<string, string>> = {
  'w:tab': '\t',
  'w:ptab': '\t',
  'w:br': '\n',
  'w:cr': '\n',
  'a:br': '\n',
  'w:noBreakHyphen': '-',
}
/** Actions for the elements of tables and cells. */
const TABLE: Readonly<Record<string, (table: DocxTable, value: string | undefined) => void>> = {
  'w:tr': (table) => {
    table.openRow()
  },
  'w:tc': (table) => {
    table.openCell()
  },
  'w:tblHeader': (table, value) => {
    if (!/^(0|false|off)$/.test(value ?? '')) table.markHeader()
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
}

/** Turns the XML of a .docx part into the paragraphs of its text and of its text boxes. */
export class DocxText implements XmlVisitor {
  /** The name of the outermost element. */
  root: string | undefined
  /** The number of embedded documents of other formats. */
  embedded = 0
  /** Receives the paragraphs of the text. */
  readonly story: MarkedLines
  readonly #flows: DocxFlows
  readonly #formula: DocxFormula
  readonly #path: string[] = []
  /** The number of characters before each open `mc:AlternateContent`. */
  readonly #choices: number[] = []
  readonly #labels = new Set<string>()
  #hiddenDepth = 0
  #font: string | undefined
  #ruby = ''

  constructor(
    story: MarkedLines,
    private readonly headings: DocxHeadings,
  ) {
    this.story = story
    this.#flows = new DocxFlows(story)
    this.#formula = new DocxFormula(this.#flows)
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
    this.#path.push(name)
    if (this.#hiddenDepth > 0 || this.#isHidden(name, attribute)) {
      this.#hiddenDepth += 1
      return
    }
    const written = WRITTEN[name]
    if (written !== undefined && parent !== 'w:tabs') this.#flows.write(written)
    const { table } = this.#flows
    if (table !== undefined) TABLE[name]?.(table, attribute('val'))
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
    else if (name === 'c:v' && this.#path.at(-3) === 'c:strCache') this.#addLabel(text.trim())
  }

  #openText(name: string, parent: string | undefined, attribute: Attributes): void {
    if (name === 'w:r') this.#font = undefined
    else if (name === 'w:rFonts' && this.#path.at(-3) === 'w:r') this.#font = attribute('ascii') ?? attribute('hAnsi')
    else if (name === 'w:p' || name === 'a:p') this.#flows.openParagraph()
    else if (name === 'w:pStyle') this.#openStyle(attribute('val') ?? '')
    else if (name === 'w:framePr' && /^(drop|margin)$/.test(attribute('dropCap') ?? '')) this.#flows.markJoined()
    else if (name === 'w:outlineLvl' && parent === 'w:pPr') this.#openOutline(attribute('val'))
    else if (name === 'w:tbl') this.#flows.openTable()
    else if (name === 'w:sym') this.#flows.write(symbol(attribute('font'), attribute('char')))
    else if (name === 'w:rt') this.#flows.capture()
    else if (name === 'v:textpath') this.boxes.add(attribute('string') ?? '')
    else if (name === 'mc:AlternateContent') this.#choices.push(this.#flows.characters)
    else if (name === 'w:altChunk') this.embedded += 1
  }

  #openStyle(style: string): void {
    if (this.headings.isHeading(style)) this.#flows.markHeading()
    this.#flows.setLevel(this.headings.level(style))
  }

  #openOutline(value: string | undefined): void {
    if (value !== '9') this.#flows.markHeading()
    this.#flows.setLevel(headingLevel(outlineLevel(value)))
  }

  #closeText(name: string): void {
    if (name === 'w:p' || name === 'a:p') this.#flows.closeParagraph()
    else if (name === 'w:tbl') this.#flows.closeTable()
    else if (name === 'w:tr') this.#flows.table?.closeRow()
    else if (name === 'w:tc') this.#flows.closeCell()
    else if (name === 'w:rt') this.#ruby = this.#flows.endCapture()
    else if (name === 'w:ruby') this.#writeRuby()
    else if (name === 'mc:AlternateContent') this.#choices.pop()
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

  /** Adds a label once: a chart repeats its labels for each series. */
  #addLabel(label: string): void {
    if (label === '' || this.#labels.has(label)) return
    this.#labels.add(label)
    this.#flows.write(label)
    this.#flows.endParagraph()
  }
}

/** Parts that are captured, and the text that each of them becomes. */
const PARTS: Readonly<Record<string, (text: string) => string>> = {
  'm:num': (text) => inParentheses(text),
  'm:den': (text) => `/${inParentheses(text)}`,
  'm:sup': (text) => (text === '' ? '' : `^${inParentheses(text)}`),
  'm:sub': (text) => (text === '' ? '' : `_${inParentheses(text)}`),
  'm:mr': (text) => `${text.trim()}; `,
}

interface Brackets {
  begin: string
  end: string
  elements: number
}

/** Formulas in one line, as people type them: `(a+b)/2`, `x^2`, `√(x)`. */
class DocxFormula {
  readonly #brackets: Brackets[] = []
  #operator = ''

  constructor(private readonly out: DocxFlows) {}

  open(name: string, parent: string | undefined, attribute: Attributes): void {
    const value = (): string => attribute('val') ?? ''
    if (name in PARTS) this.out.capture()
    if (name === 'm:d') this.#brackets.push({ begin: '(', end: ')', elements: 0 })
    else if (name === 'm:nary') this.#operator = '∫'
    else if (name === 'm:chr' && parent === 'm:naryPr') this.#operator = value()
    const brackets = this.#brackets.at(-1)
    if (brackets !== undefined && name === 'm:begChr') brackets.begin = value()
    if (brackets !== undefined && name === 'm:endChr') brackets.end = value()
    if (name !== 'm:e') return
    if (parent === 'm:rad') this.out.write('√(')
    else if (parent === 'm:mr') this.out.write(' ')
    else if (parent === 'm:d' && brackets !== undefined) {
      this.out.write(brackets.elements === 0 ? brackets.begin : '|')
      brackets.elements += 1
    }
  }

  close(name: string, parent: string | undefined): void {
    if (name === 'm:naryPr') this.out.write(this.#operator)
    else if (name === 'm:e' && parent === 'm:rad') this.out.write(')')
    else if (name === 'm:d') this.out.write(this.#brackets.pop()?.end ?? '')
    const part = PARTS[name]
    if (part !== undefined) this.out.write(part(this.out.endCapture()))
  }
}

/** Puts parentheses around a term of several parts, such as the sum in a numerator. */
function inParentheses(text: string): string {
  return /^[\p{L}\p{M}\p{N}.,]*$/u.test(text) ? text : `(${text})`
}
