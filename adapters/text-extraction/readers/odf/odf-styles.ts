import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'

/** Styles are based on each other through few steps. A damaged file may have a circle. */
const MAX_STEPS = 20
/** A hostile file may declare any number of styles and lists. */
const MAX_STYLES = 100_000
const MAX_LEVELS = 10
const MAX_LABEL_CHARACTERS = 200
/** The formats of numbers that are no Latin ones, by their first letter. */
const FORMATS: Readonly<Record<string, string>> = {
  '': 'none',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  一: 'chineseCounting',
  壹: 'chineseLegalSimplified',
  甲: 'ideographTraditional',
  子: 'ideographZodiac',
  ア: 'aiueo',
  イ: 'iroha',
  가: 'ganada',
  ㄱ: 'chosung',
}

/** The numbering of the paragraphs of a level. */
export interface OdfLevel {
  /** A format of {@link FORMATS} or of Word. */
  readonly format: string
  readonly prefix: string
  readonly suffix: string
  /** The number of levels whose numbers are shown, this one as the last. */
  readonly shown: number
  readonly start: number
}

/** The levels of the numbers of headings have this name. No list has it. */
export const OUTLINE = ''

/** The styles of a document, as far as they tell titles, automatic numbers and what is hidden. */
export class OdfStyles implements XmlVisitor {
  readonly #parents = new Map<string, string>()
  readonly #hidden = new Set<string>()
  readonly #lists = new Map<string, Map<number, OdfLevel>>()
  #style = ''
  #list: Map<number, OdfLevel> | undefined

  open(name: string, attribute: Attributes): void {
    if (name === 'style:style') this.#openStyle(attribute)
    else if (name === 'style:table-properties' && attribute('display') === 'false') this.#hidden.add(this.#style)
    else if (name === 'style:drawing-page-properties' && attribute('visibility') === 'hidden') {
      this.#hidden.add(this.#style)
    } else if (name === 'text:list-style') this.#openList(attribute('name') ?? '')
    else if (name === 'text:outline-style') this.#openList(OUTLINE)
    else if (name === 'text:list-level-style-number' || name === 'text:outline-level-style') this.#addLevel(attribute)
  }

  close(name: string): void {
    if (name === 'text:list-style' || name === 'text:outline-style') this.#list = undefined
  }

  text(): void {
    // Styles are attributes.
  }

  /** True for a sheet or a slide with this style that is not shown. */
  isHidden(style: string | undefined): boolean {
    return style !== undefined && this.#hidden.has(style)
  }

  /** True if a paragraph with this style is the title of the document. */
  isTitle(style: string | undefined): boolean {
    let next = style
    for (let steps = 0; next !== undefined && steps < MAX_STEPS; steps += 1) {
      if (/^title$/i.test(next)) return true
      next = this.#parents.get(next)
    }
    return false
  }

  /** @returns `undefined` for a level without numbers, such as one of bullets */
  level(list: string, level: number): OdfLevel | undefined {
    return this.#lists.get(list)?.get(level)
  }

  #openStyle(attribute: Attributes): void {
    const [name = '', parent] = [attribute('name'), attribute('parent-style-name')]
    this.#style = name
    if (attribute('family') !== 'paragraph') return
    // A style of the text counts more than one of the headers with the same name.
    if (parent === undefined) this.#parents.delete(name)
    else if (this.#parents.size < MAX_STYLES) this.#parents.set(name, parent)
  }

  #openList(name: string): void {
    this.#list = new Map()
    if (this.#lists.size < MAX_STYLES) this.#lists.set(name, this.#list)
  }

  #addLevel(attribute: Attributes): void {
    const level = Number(attribute('level'))
    if (!(level >= 1 && level <= MAX_LEVELS)) return
    const [first = ''] = attribute('num-format') ?? ''
    const [start, shown] = [Number(attribute('start-value') ?? '1'), Number(attribute('display-levels') ?? '1')]
    this.#list?.set(level - 1, {
      format: FORMATS[first] ?? 'decimal',
      prefix: (attribute('num-prefix') ?? '').slice(0, MAX_LABEL_CHARACTERS),
      suffix: (attribute('num-suffix') ?? '').slice(0, MAX_LABEL_CHARACTERS),
      shown: shown >= 1 ? shown : 1,
      start: Number.isInteger(start) && start >= 0 ? start : 1,
    })
  }
}
