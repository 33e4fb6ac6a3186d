import { DocxTable, KeptBlocks } from '../docx/docx-blocks.js'
import type { Attributes } from '../docx/docx-xml.js'
import { isFirst, MAX_REPEATED, type SlideLines } from '../office/slide-lines.js'
import type { OdfObjects } from './odf-objects.js'
import type { OdfStyles } from './odf-styles.js'
import { countIn, type OdfHandler } from './odf-walker.js'

/** Placeholders without a text of their own. */
const EMPTY = new Set(['page-number', 'page'])
/** Placeholders that repeat the same text on every slide: only the first of them counts. */
const REPEATED = new Set(['date-time', 'footer', 'header'])
const LEFT_OUT = new Set(['office:annotation', 'draw:page-thumbnail', 'presentation:date-time-decl'])

/** Turns the XML of a presentation into the title, the text and the notes of each slide. */
export class OdpText implements OdfHandler {
  /** The number of slides that are not shown. */
  hidden = 0
  #page = 0
  #title = new KeptBlocks()
  #body = new KeptBlocks()
  #notes = new KeptBlocks()
  #isInNotes = false
  #isInStyles = false
  /** The kinds of the open shapes. */
  readonly #shapes: (string | undefined)[] = []
  #table: DocxTable | undefined
  #covered = 0
  #paragraph = ''
  readonly #captured: string[] = []
  /** The declared footers and headers by their names. */
  readonly #declared = new Map<string, string>()
  #declaredName: string | undefined
  readonly #repeated = new Set<string>()

  constructor(
    private readonly onSlide: (slide: SlideLines) => void,
    private readonly styles: OdfStyles,
    private readonly objects: OdfObjects,
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

  hides(name: string, attribute: Attributes): boolean {
    if (name !== 'draw:page' || !this.styles.isHidden(attribute('style-name'))) return LEFT_OUT.has(name)
    this.hidden += 1
    this.#page += 1
    return true
  }

  open(name: string, attribute: Attributes): void {
    if (this.#isInStyles) this.styles.open(name, attribute)
    else if (name === 'office:automatic-styles') this.#isInStyles = true
    else if (name === 'draw:page') this.#openSlide(attribute)
    else if (name === 'presentation:notes') this.#isInNotes = true
    else if (name === 'text:p' || name === 'text:h') this.#paragraph = ''
    else if (/^presentation:(?:footer|header)-decl$/.test(name)) {
      this.#paragraph = ''
      this.#declaredName = `${name} ${attribute('name') ?? ''}`
    } else if (name === 'draw:object') this.#addObject(attribute(':href'))
    else if (name.startsWith('draw:')) this.#shapes.push(attribute('class') ?? this.#shapes.at(-1))
    else if (name.startsWith('table:')) this.#openTable(name, attribute)
  }

  close(name: string): void {
    if (name === 'office:automatic-styles') this.#isInStyles = false
    else if (this.#isInStyles) this.styles.close(name)
    else if (name === 'draw:page') this.#closeSlide()
    else if (name === 'presentation:notes') this.#isInNotes = false
    else if (name === 'text:p' || name === 'text:h') this.#endParagraph()
    else if (/^presentation:(?:footer|header)-decl$/.test(name)) this.#declare()
    else if (name.startsWith('draw:') && name !== 'draw:object') this.#shapes.pop()
    else if (name.startsWith('table:')) this.#closeTable(name)
  }

  #openSlide(attribute: Attributes): void {
    this.#page += 1
    this.#title = new KeptBlocks()
    this.#body = new KeptBlocks()
    this.#notes = new KeptBlocks()
    for (const kind of ['header', 'footer']) {
      const name = attribute(`use-${kind}-name`)
      const text = this.#declared.get(`presentation:${kind}-decl ${name ?? ''}`) ?? ''
      if (name !== undefined && text !== '' && isFirst(text, this.#repeated)) this.#body.add(text)
    }
  }

  #closeSlide(): void {
    const [title, body, notes] = [this.#title.paragraphs, this.#body.paragraphs, this.#notes.paragraphs]
    this.onSlide({ page: this.#page, title, body, notes })
  }

  #declare(): void {
    if (this.#declaredName !== undefined && this.#declared.size < MAX_REPEATED) {
      this.#declared.set(this.#declaredName, this.#paragraph.trim())
    }
    this.#paragraph = ''
  }

  #addObject(reference: string | undefined): void {
    this.#body.add(this.objects.takeFormula(reference))
    for (const line of this.objects.takeChart(reference)) this.#body.add(line)
  }

  #endParagraph(): void {
    const text = this.#paragraph.trim()
    this.#paragraph = ''
    const kind = this.#shapes.at(-1) ?? ''
    if (text === '' || EMPTY.has(kind)) return
    if (this.#isInNotes && kind !== 'notes') return
    if (REPEATED.has(kind) && (kind === 'date-time' || !isFirst(text, this.#repeated))) return
    const blocks = this.#isInNotes ? this.#notes : kind === 'title' ? this.#title : this.#body
    const out = this.#table?.blocks ?? blocks
    out.add(text)
  }

  #openTable(name: string, attribute: Attributes): void {
    if (name === 'table:table') this.#table ??= new DocxTable(this.#body)
    else if (name === 'table:table-row') {
      this.#table?.openRow()
      this.#covered = 0
    } else if (name === 'table:table-cell') {
      const columns = countIn(attribute('number-columns-spanned'))
      this.#covered = columns - 1
      this.#table?.openCell()
      this.#table?.spanColumns(columns)
      if (countIn(attribute('number-rows-spanned')) > 1) this.#table?.mergeDown('begins')
    } else if (name === 'table:covered-table-cell') {
      if (this.#covered > 0) this.#covered -= 1
      else {
        this.#table?.openCell()
        this.#table?.mergeDown('continues')
      }
    }
  }

  #closeTable(name: string): void {
    if (name === 'table:table-cell' || name === 'table:covered-table-cell') this.#table?.closeCell()
    else if (name === 'table:table-row') this.#table?.closeRow()
    else if (name === 'table:table') {
      this.#table?.close()
      this.#table = undefined
    }
  }
}
