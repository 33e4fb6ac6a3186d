import { breakOf, headingLevelOf, isHidden, isList } from './html-elements.js'
import type { HtmlVisitor } from './html-events.js'
import { HiddenElement } from './html-hidden.js'
import { HtmlParagraph } from './html-paragraph.js'
import { type HtmlBlocks, HtmlTable } from './html-table.js'

const MAX_NESTED_TABLES = 8
const MAX_NESTED_LISTS = 32
/** A longer paragraph is written in parts. */
const MAX_PARAGRAPH_CHARACTERS = 32_768
const MAX_ITEM_NUMBER = 1_000_000_000

interface List {
  readonly isOrdered: boolean
  next: number
}

/** Turns the tags and texts of a page into the paragraphs that a reader sees. It keeps no list of open elements. */
export class HtmlText implements HtmlVisitor {
  readonly #paragraph = new HtmlParagraph()
  readonly #tables: HtmlTable[] = []
  /** The number of open tables that are read as lines. */
  #flatTables = 0
  readonly #lists: List[] = []
  #deeperLists = 0
  /** The sign or number before the next paragraph. */
  #marker = ''
  readonly #hidden = new HiddenElement()
  #headingLevel = 0
  #preformatted = 0
  #isTitle = false
  #hasSeenTitle = false

  /** @param hasTitle true if the title of the page becomes its first heading */
  constructor(
    private readonly out: HtmlBlocks,
    private readonly hasTitle: boolean,
  ) {}

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#hidden.open(name)) return
    if (isHidden(name, attributes)) {
      this.#hidden.begin(name)
      return
    }
    if (name === 'br') this.#paragraph.write('\n')
    else if (name === 'img' || name === 'area') this.text(attributes.get('alt') ?? '')
    else if (name === 'rt') this.#paragraph.write('(')
    else if (name === 'q') this.#paragraph.write('“')
    else if (name === 'title') this.#openTitle()
    else if (headingLevelOf(name) > 0) this.#openHeading(headingLevelOf(name))
    else if (isList(name)) this.#openList(name === 'ol', attributes)
    else if (/^(?:table|thead|tbody|tfoot|tr|td|th)$/.test(name)) this.#openTable(name, attributes)
    else this.#breakAt(name)
    if (name === 'li') this.#openItem()
    else if (name === 'pre' || name === 'textarea') this.#preformatted += 1
  }

  close(name: string): void {
    if (this.#hidden.close(name)) return
    if (name === 'rt') this.#paragraph.write(')')
    else if (name === 'q') this.#paragraph.write('”')
    else if (name === 'title') this.#closeTitle()
    else if (headingLevelOf(name) > 0) this.#closeHeading()
    else if (isList(name)) this.#closeList()
    else if (/^(?:table|thead|tr|td|th)$/.test(name)) this.#closeTable(name)
    else this.#breakAt(name)
    if (name === 'pre' || name === 'textarea') this.#preformatted = Math.max(0, this.#preformatted - 1)
  }

  text(text: string): void {
    if (this.#hidden.isOpen) return
    this.#paragraph.add(text, this.#preformatted > 0 && !this.#isTitle)
    if (this.#paragraph.length > MAX_PARAGRAPH_CHARACTERS) this.#writePart()
  }

  /** Ends everything that is open. */
  end(): void {
    if (this.#isTitle) this.#closeTitle()
    this.#endParagraph()
    for (const table of this.#tables.splice(0).reverse()) table.close()
  }

  get #table(): HtmlTable | undefined {
    return this.#flatTables > 0 ? undefined : this.#tables.at(-1)
  }

  get #blocks(): HtmlBlocks {
    return this.#tables.at(-1)?.blocks ?? this.out
  }

  #breakAt(name: string): void {
    const gap = breakOf(name)
    if (gap === undefined) return
    this.#endParagraph()
    if (gap === 'paragraph') this.#leaveGap()
  }

  /** Items of a list have no empty lines between them. */
  #leaveGap(): void {
    if (this.#lists.length === 0) this.#blocks.leaveGap()
  }

  #endParagraph(): void {
    const text = this.#paragraph.take()
    const level = this.#headingLevel
    if (text === '') return
    const line = this.#marker + text
    this.#marker = ''
    this.#headingLevel = 0
    if (level > 0) this.#blocks.heading(line.replaceAll(/\s+/g, ' '), level)
    else this.#blocks.add(line)
  }

  /** Writes the beginning of a long paragraph. Neither a title nor a heading is that long. */
  #writePart(): void {
    this.#isTitle = false
    this.#headingLevel = 0
    this.#blocks.add(this.#marker + this.#paragraph.takePart())
    this.#marker = ''
  }

  #openTitle(): void {
    this.#endParagraph()
    this.#isTitle = true
  }

  #closeTitle(): void {
    if (!this.#isTitle) return
    const title = this.#paragraph.take().replaceAll(/\s+/g, ' ')
    if (this.hasTitle && !this.#hasSeenTitle && title !== '') this.out.heading(title, 1)
    this.#isTitle = false
    this.#hasSeenTitle = true
  }

  #openHeading(level: number): void {
    this.#endParagraph()
    this.#headingLevel = level
  }

  #closeHeading(): void {
    this.#endParagraph()
    this.#headingLevel = 0
  }

  #openList(isOrdered: boolean, attributes: ReadonlyMap<string, string>): void {
    this.#endParagraph()
    this.#leaveGap()
    if (this.#lists.length >= MAX_NESTED_LISTS) {
      this.#deeperLists += 1
      return
    }
    const start = Number(attributes.get('start') ?? '1')
    this.#lists.push({ isOrdered, next: Number.isInteger(start) && Math.abs(start) < MAX_ITEM_NUMBER ? start : 1 })
  }

  #closeList(): void {
    this.#endParagraph()
    this.#marker = ''
    if (this.#deeperLists > 0) this.#deeperLists -= 1
    else this.#lists.pop()
    this.#leaveGap()
  }

  #openItem(): void {
    const list = this.#lists.at(-1)
    this.#marker = list?.isOrdered === true ? `${list.next}. ` : '- '
    if (list !== undefined) list.next += 1
  }

  #openTable(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#endParagraph()
    if (name === 'table' && this.#tables.length >= MAX_NESTED_TABLES) this.#flatTables += 1
    else if (name === 'table') {
      this.#leaveGap()
      this.#tables.push(new HtmlTable(this.#blocks))
    } else if (name === 'tr') this.#table?.openRow()
    else if (name === 'td' || name === 'th') {
      const [columns, rows] = [Number(attributes.get('colspan')), Number(attributes.get('rowspan'))]
      this.#table?.openCell({ isHeader: name === 'th', columns, rows })
    } else this.#table?.openSection(name === 'thead')
  }

  #closeTable(name: string): void {
    this.#endParagraph()
    if (name === 'tr') this.#table?.closeRow()
    else if (name === 'thead') this.#table?.openSection(false)
    else if (name !== 'table') this.#table?.closeCell()
    else if (this.#flatTables > 0) this.#flatTables -= 1
    else {
      this.#tables.pop()?.close()
      this.#leaveGap()
    }
  }
}
