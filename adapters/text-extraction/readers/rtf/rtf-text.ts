// cspell:ignore ansicpg deff fcharset nestcell nestrow outlinelevel sbasedon
import { ExtractionError } from '../../../../src/ports/index.js'
import { KeptBlocks } from '../docx/docx-blocks.js'
import { DocxFlows } from '../docx/docx-flows.js'
import { withSymbols } from '../docx/docx-symbols.js'
import { fileTitle } from '../file-title.js'
import type { MarkedLines } from '../marked-lines.js'
import { RtfBytes } from './rtf-bytes.js'
import { type Destination, destinationOf, WRITTEN } from './rtf-destinations.js'
import { codePage, RtfFonts } from './rtf-fonts.js'
import { newGroup, type RtfGroup, setProperty } from './rtf-group.js'
import { outlineLevel, RtfStyles } from './rtf-styles.js'
import { RtfTables } from './rtf-tables.js'
import { type RtfToken, TOKEN } from './rtf-tokens.js'

/** Word never nests groups more deeply. */
const MAX_DEPTH = 2_000
const MAX_SHORT_CHARACTERS = 10_000
const CHARACTER_SETS: ReadonlyMap<string, string> = new Map([
  ['mac', 'macintosh'],
  ['pc', 'cp437'],
  ['pca', 'cp850'],
])
/** Signs that are bullets in the fonts of bullets. */
const BULLET = /^(?:[o§]|[^\p{L}\p{N}]*)$/u

/** Turns the tokens of RTF into the paragraphs of its text, and of what stands beside it. */
export class RtfText {
  readonly notes: KeptBlocks = new KeptBlocks()
  readonly comments: KeptBlocks = new KeptBlocks()
  readonly headers: KeptBlocks = new KeptBlocks()
  readonly footers: KeptBlocks = new KeptBlocks()
  readonly #flows: DocxFlows
  readonly #tables: RtfTables
  readonly #fonts = new RtfFonts()
  readonly #styles = new RtfStyles()
  readonly #outer: RtfGroup[] = []
  #group: RtfGroup = newGroup()
  readonly #bytes = new RtfBytes()
  /** The characters of a fallback that are still left out. */
  #skipped = 0
  #title = ''
  #label = ''
  #isParagraphOpen = false
  /** For each text that goes on behind a box: true if its paragraph is open. */
  readonly #paragraphs: boolean[] = []
  #isOver = false
  #isUnsure = false

  constructor(private readonly story: MarkedLines) {
    this.#flows = new DocxFlows(story)
    this.#tables = new RtfTables(this.#flows)
  }

  get boxes(): KeptBlocks {
    return this.#flows.boxes
  }

  /** True if the last group has ended. */
  get isComplete(): boolean {
    return this.#isOver
  }

  /** True if text of the document is in an encoding that no decoder knows. */
  get isEncodingUnsure(): boolean {
    return this.#isUnsure
  }

  add(tokens: readonly RtfToken[]): void {
    for (const token of tokens) {
      // Programs leave bytes behind the end.
      if (this.#isOver) return
      this.#add(token)
    }
  }

  /** Ends all that is open. */
  end(): void {
    this.#decode()
    while (this.#outer.length > 0) this.#closeGroup()
    this.#endParagraph()
    this.#tables.enter(0)
    this.#flows.finish()
  }

  #add({ type, word = '', param, data }: RtfToken): void {
    if (type === TOKEN.text) this.#addBytes(data ?? new Uint8Array())
    else if (type === TOKEN.control && word === "'") this.#addBytes(data ?? new Uint8Array())
    else {
      this.#decode()
      if (type === TOKEN.groupStart) this.#openGroup()
      else if (type === TOKEN.groupEnd) this.#closeGroup()
      else this.#control(word, param)
    }
  }

  #openGroup(): void {
    this.#skipped = 0
    if (this.#outer.length >= MAX_DEPTH) {
      throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged: its groups are nested too deeply')
    }
    this.#outer.push(this.#group)
    this.#group = { ...this.#group, isFirst: true, isOptional: false, isBeside: false }
    const isStyle = this.#group.destination === 'styles' && this.#outer.at(-2)?.destination !== 'styles'
    if (isStyle) this.#styles.open()
  }

  #closeGroup(): void {
    this.#skipped = 0
    const { destination, isBeside } = this.#group
    const outer = this.#outer.pop()
    if (outer === undefined) return
    const isEnd = outer.destination !== destination
    if (isBeside) this.#closeBeside()
    if (isEnd && destination === 'title') this.story.mark(fileTitle(this.#title.trim()), 0)
    this.#group = outer
    if (isEnd && destination === 'label') this.#endLabel()
    if (this.#outer.length === 0) this.#isOver = true
  }

  #control(word: string, param: number | undefined): void {
    const group = this.#group
    if (word === '*' && group.isFirst) {
      group.isOptional = true
      return
    }
    if (group.isFirst) {
      group.isFirst = false
      const destination = destinationOf(word, group.isOptional)
      if (destination !== undefined && this.#enter(destination)) return
    }
    if (group.destination === 'skip') return
    if (word === 'u') this.#addUnicode(param ?? 0)
    else if (this.#skipped > 0 && WRITTEN.has(word)) this.#skipped -= 1
    else if (group.destination === 'fonts') this.#defineFont(word, param)
    else if (group.destination === 'styles') this.#defineStyle(word, param)
    else if (!this.#property(word, param)) this.#format(word)
  }

  /** Begins the text of a destination. @returns false if the word counts as any other word */
  #enter(destination: Destination): boolean {
    const group = this.#group
    const outer = this.#outer.at(-1)?.destination
    if (destination === 'unicode') {
      // The text in Unicode stands for the one before it, in the same group.
      group.destination = this.#outer.at(-2)?.destination ?? 'text'
      return true
    }
    if (outer === 'skip') return true
    if (destination === 'title' && outer !== 'info') return false
    group.destination = destination
    const blocks = this.#besideOf(destination)
    if (blocks !== undefined) this.#openBeside(blocks)
    return true
  }

  #besideOf(destination: Destination): KeptBlocks | undefined {
    if (destination === 'footnote') return this.notes
    if (destination === 'comment') return this.comments
    if (destination === 'header') return this.headers
    if (destination === 'footer') return this.footers
    return destination === 'box' ? this.boxes : undefined
  }

  #openBeside(out: KeptBlocks): void {
    this.#flows.openBox(out)
    this.#tables.enterBox()
    this.#paragraphs.push(this.#isParagraphOpen)
    this.#isParagraphOpen = false
    Object.assign(this.#group, { isBeside: true, style: 0, outline: undefined, isInTable: false, depth: 0 })
  }

  #closeBeside(): void {
    this.#endParagraph()
    this.#tables.leaveBox()
    this.#flows.closeBox()
    this.#isParagraphOpen = this.#paragraphs.pop() ?? false
  }

  #defineFont(word: string, param = 0): void {
    if (word === 'f') this.#fonts.open(param)
    else if (word === 'fcharset') this.#fonts.setCharset(param)
    else if (word === 'cpg') this.#fonts.setCodePage(param)
  }

  #defineStyle(word: string, param = 0): void {
    if (word === 's') this.#styles.setId(param)
    // A style of letters, of a section or of a table.
    else if (/^(?:cs|ds|ts)$/.test(word)) this.#styles.setId(-1)
    else if (word === 'sbasedon') this.#styles.setBase(param)
    else if (word === 'outlinelevel') this.#styles.setOutline(param)
  }

  /** @returns false for a word that is none of the properties of a group */
  #property(word: string, param: number | undefined): boolean {
    if (setProperty(this.#group, word, param)) return true
    const encoding = CHARACTER_SETS.get(word)
    if (encoding !== undefined) this.#fonts.encoding = encoding
    else if (word === 'deff') this.#fonts.usual = param
    else if (word === 'ansicpg' && param !== undefined && param !== 0) this.#fonts.encoding = codePage(param)
    else return false
    return true
  }

  #format(word: string): void {
    const written = WRITTEN.get(word)
    if (written !== undefined) this.#write(written)
    else if (word === 'par' || word === 'sect' || word === '\n' || word === '\r') this.#endLine()
    else if (word === 'cell' || word === 'nestcell') this.#endCell()
    else if (word === 'row') this.#tables.endRow(1)
    else if (word === 'nestrow') this.#tables.endRow(Math.max(2, this.#depth))
    else this.#tables.define(word)
  }

  /** The number of tables around the paragraph. */
  get #depth(): number {
    return Math.max(this.#group.depth, this.#group.isInTable ? 1 : 0)
  }

  #addBytes(bytes: Uint8Array): void {
    // A byte-order mark stands before the first group.
    if (this.#outer.length === 0) return
    const group = this.#group
    group.isFirst = false
    if (group.destination === 'skip' || group.destination === 'info') return
    const skipped = Math.min(this.#skipped, bytes.length)
    this.#skipped -= skipped
    const rest = bytes.subarray(skipped)
    if (rest.length === 0) return
    const encoding = this.#fonts.isSymbol(group.font) ? '' : this.#fonts.encodingOf(group.font)
    if (encoding !== this.#bytes.encoding) this.#decode()
    this.#bytes.add(rest, encoding)
  }

  #decode(): void {
    const text = this.#bytes.take(this.#fonts.nameOf(this.#group.font))
    if (text === '') return
    const { destination } = this.#group
    if (this.#bytes.isUnsure && destination !== 'fonts' && destination !== 'styles') this.#isUnsure = true
    this.#write(text)
  }

  #addUnicode(code: number): void {
    this.#skipped = this.#group.fallback
    const unit = code & 0xffff
    const text = String.fromCharCode(unit)
    this.#write(unit >= 0xf020 && unit <= 0xf0ff ? withSymbols(text, this.#fonts.nameOf(this.#group.font)) : text)
  }

  #write(text: string): void {
    const { destination, isHidden, isDeleted } = this.#group
    if (destination === 'fonts') this.#fonts.addName(text)
    else if (destination === 'styles') this.#styles.addName(text)
    else if (destination === 'title') this.#title = (this.#title + text).slice(0, MAX_SHORT_CHARACTERS)
    else if (destination === 'label') this.#label = (this.#label + text).slice(0, MAX_SHORT_CHARACTERS)
    else if (destination !== 'skip' && destination !== 'info' && !isHidden && !isDeleted) {
      this.#openParagraph()
      this.#flows.write(text)
    }
  }

  /** The label of a list is shown if it is more than a bullet. */
  #endLabel(): void {
    const label = this.#label.trim()
    this.#label = ''
    if (BULLET.test(label) || this.#group.isHidden || this.#group.isDeleted) return
    this.#openParagraph()
    this.#flows.setLabel(`${label} `)
  }

  #openParagraph(): void {
    if (this.#isParagraphOpen) return
    this.#isParagraphOpen = true
    this.#tables.enter(this.#depth)
    this.#flows.openParagraph()
  }

  #endLine(): void {
    this.#openParagraph()
    this.#endParagraph()
  }

  #endParagraph(): void {
    if (!this.#isParagraphOpen) return
    this.#isParagraphOpen = false
    const { outline, style } = this.#group
    const level = outline === undefined ? this.#styles.level(style) : outlineLevel(outline)
    if (level !== undefined) this.#flows.markHeading()
    this.#flows.setLevel(level)
    this.#flows.closeParagraph()
  }

  #endCell(): void {
    this.#endParagraph()
    this.#tables.endCell(Math.max(1, this.#depth))
  }
}
