import { numberText } from './docx-numbers.js'
import { DamagedPartError, type DocxPackage } from './docx-package.js'
import type { ListPlace } from './docx-styles.js'
import { type Attributes, isOn, walkXml } from './docx-xml.js'

/** Word has nine levels. */
const MAX_LEVELS = 9
/** A hostile file may declare any number of lists. */
const MAX_LISTS = 20_000
const MAX_LABEL_CHARACTERS = 200

/** The numbering of the paragraphs of a level. */
interface Level {
  start: number
  format: string | undefined
  /** The label, with `%1` for the number of the outermost level, and so on. */
  text: string
  /** The number of levels that restart this one. Default: all outer levels. */
  restart: number | undefined
  /** True if the numbers of all levels are digits. */
  isLegal: boolean
  isHidden: boolean
  /** True if the label ends with a space. */
  isSpaced: boolean
  style: string | undefined
}

/** Levels that several lists may share, together with their count. */
interface Definition {
  readonly levels: Map<number, Level>
  /** The style that this definition is for, or whose definition counts instead of this one. */
  styleLink: string | undefined
  numStyleLink: string | undefined
}

interface List {
  definition: string
  readonly overrides: Map<number, Level>
  readonly starts: Map<number, number>
}

/** The lists of a document: how Word numbers its paragraphs. */
export class DocxNumbering {
  readonly #definitions = new Map<string, Definition>()
  readonly #lists = new Map<string, List>()
  readonly #linked = new Map<string, string>()
  /** The damage of the part with the lists. */
  #damage: string | undefined

  private constructor() {
    // Made by `read`.
  }

  /** @param part the part with the lists. Without it, and behind its damage, paragraphs have no numbers */
  static async read(file: DocxPackage, part: string | undefined): Promise<DocxNumbering> {
    const numbering = new DocxNumbering()
    if (part === undefined || !file.has(part)) return numbering
    const reader = new NumberingReader(numbering.#definitions, numbering.#lists)
    try {
      for await (const _ of walkXml(file.bytes(part), reader, part));
    } catch (error) {
      if (!(error instanceof DamagedPartError)) throw error
      numbering.#damage = error.message
    }
    for (const [id, { styleLink }] of numbering.#definitions) {
      if (styleLink !== undefined) numbering.#linked.set(styleLink, id)
    }
    return numbering
  }

  /** The damage of the part with the lists, in words. */
  get damage(): string | undefined {
    return this.#damage
  }

  /** The definition of a list, by which its paragraphs are counted. */
  definitionOf(list: string): string | undefined {
    const id = this.#lists.get(list)?.definition
    const link = this.#definitions.get(id ?? '')?.numStyleLink
    return link === undefined ? id : (this.#linked.get(link) ?? id)
  }

  level(list: string, level: number): Level | undefined {
    const definition = this.#definitions.get(this.definitionOf(list) ?? '')
    return this.#lists.get(list)?.overrides.get(level) ?? definition?.levels.get(level)
  }

  /** The number with which a list begins a level again. */
  restartOf(list: string, level: number): number | undefined {
    return this.#lists.get(list)?.starts.get(level)
  }

  /** The level of a list that is for a style. */
  levelOf(list: string, style: string): number | undefined {
    for (let level = 0; level < MAX_LEVELS; level += 1) {
      if (this.level(list, level)?.style === style) return level
    }
    return undefined
  }
}

/** Counts the numbered paragraphs of a part. */
export class DocxCount {
  /** The numbers of all levels by definition. Lists with one definition go on counting. */
  readonly #numbers = new Map<string, (number | undefined)[]>()
  /** The lists and levels that have begun with their own number. */
  readonly #begun = new Set<string>()

  constructor(private readonly numbering: DocxNumbering) {}

  /** The label of the next paragraph, with the space behind it. @returns '' without a number */
  next({ list, level: at = 0 }: ListPlace): string {
    const definition = list === undefined ? undefined : this.numbering.definitionOf(list)
    if (list === undefined || definition === undefined || !(at >= 0 && at < MAX_LEVELS)) return ''
    const level = this.numbering.level(list, at)
    if (level === undefined) return ''
    let numbers = this.#numbers.get(definition)
    if (numbers === undefined) this.#numbers.set(definition, (numbers = []))
    this.#count(numbers, list, at, level)
    return level.isHidden || level.format === 'bullet' ? '' : this.#label(numbers, list, level)
  }

  #count(numbers: (number | undefined)[], list: string, at: number, { start }: Level): void {
    const first = this.numbering.restartOf(list, at)
    const key = `${list} ${at}`
    const last = numbers[at]
    if (first !== undefined && !this.#begun.has(key)) numbers[at] = first
    else numbers[at] = last === undefined ? (first ?? start) : last + 1
    if (first !== undefined) this.#begun.add(key)
    for (let inner = at + 1; inner < MAX_LEVELS; inner += 1) {
      const { restart = inner } = this.numbering.level(list, inner) ?? {}
      if (at < restart) numbers[inner] = undefined
    }
  }

  #label(
    numbers: readonly (number | undefined)[],
    list: string,
    { text, format: own, isLegal, isSpaced }: Level,
  ): string {
    const label = text.replaceAll(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1
      const { start = 1, format = 'decimal' } = this.numbering.level(list, at) ?? {}
      return numberText(numbers[at] ?? start, isLegal && format !== 'none' ? 'decimal' : format)
    })
    // Signs without a number are bullets, except those that count.
    const isNumber = /[\p{L}\p{N}]/u.test(label) || (own === 'chicago' && /[*†‡§]/.test(label))
    return isNumber ? `${label.slice(0, MAX_LABEL_CHARACTERS).trim()}${isSpaced ? ' ' : ''}` : ''
  }
}

/** Reads the part with the lists. */
class NumberingReader {
  #definition: Definition | undefined
  #list: List | undefined
  #override: number | undefined
  #level: Level | undefined

  constructor(
    private readonly definitions: Map<string, Definition>,
    private readonly lists: Map<string, List>,
  ) {}

  open(element: string, attribute: Attributes): void {
    const value = attribute('val') ?? ''
    if (element === 'w:abstractNum') this.#openDefinition(attribute('abstractNumId') ?? '')
    else if (element === 'w:num') this.#openList(attribute('numId') ?? '')
    else if (element === 'w:lvl') this.#openLevel(Number(attribute('ilvl')))
    else if (element === 'w:lvlOverride') this.#override = Number(attribute('ilvl'))
    else if (element === 'w:abstractNumId' && this.#list !== undefined) this.#list.definition = value
    else if (element === 'w:startOverride') this.#restart(Number(value))
    else if (element === 'w:styleLink' && this.#definition !== undefined) this.#definition.styleLink = value
    else if (element === 'w:numStyleLink' && this.#definition !== undefined) this.#definition.numStyleLink = value
    else if (this.#level !== undefined) readProperty(this.#level, element, value, attribute)
  }

  close(element: string): void {
    if (element === 'w:lvl') this.#level = undefined
    else if (element === 'w:lvlOverride') this.#override = undefined
    else if (element === 'w:num') this.#list = undefined
    else if (element === 'w:abstractNum') this.#definition = undefined
  }

  text(): void {
    // Numbers are attributes.
  }

  #openDefinition(id: string): void {
    this.#definition = { levels: new Map(), styleLink: undefined, numStyleLink: undefined }
    if (this.definitions.size < MAX_LISTS) this.definitions.set(id, this.#definition)
  }

  #openList(id: string): void {
    this.#list = { definition: '', overrides: new Map(), starts: new Map() }
    // 0 means that the paragraph has no number.
    if (this.lists.size < MAX_LISTS && id !== '0') this.lists.set(id, this.#list)
  }

  #openLevel(at: number): void {
    this.#level = {
      start: 0,
      format: undefined,
      text: '',
      restart: undefined,
      isLegal: false,
      isHidden: false,
      isSpaced: true,
      style: undefined,
    }
    if (!isLevel(at)) return
    if (this.#list !== undefined) this.#list.overrides.set(at, this.#level)
    else this.#definition?.levels.set(at, this.#level)
  }

  #restart(start: number): void {
    const at = this.#override
    if (at !== undefined && isLevel(at) && isCount(start)) this.#list?.starts.set(at, start)
  }
}

function readProperty(level: Level, element: string, value: string, attribute: Attributes): void {
  if (element === 'w:start' && isCount(Number(value))) level.start = Number(value)
  // The first of several alternatives counts.
  else if (element === 'w:numFmt') level.format ??= formatOf(value, attribute('format'))
  else if (element === 'w:lvlText') level.text = value.slice(0, MAX_LABEL_CHARACTERS)
  else if (element === 'w:lvlRestart') level.restart = Number(value)
  else if (element === 'w:isLgl') level.isLegal = isOn(value)
  else if (element === 'w:vanish') level.isHidden = isOn(value)
  else if (element === 'w:suff') level.isSpaced = value !== 'nothing'
  else if (element === 'w:pStyle') level.style = value
}

/** A format such as "001, 002, 003, ..." is written out. */
function formatOf(value: string, pattern: string | undefined): string {
  if (value !== 'custom') return value
  return `decimal${'0'.repeat(Math.min(9, /^(0*)1,/.exec(pattern ?? '')?.[1]?.length ?? 0))}`
}

function isLevel(at: number): boolean {
  return Number.isInteger(at) && at >= 0 && at < MAX_LEVELS
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 0x7fff_ffff
}
