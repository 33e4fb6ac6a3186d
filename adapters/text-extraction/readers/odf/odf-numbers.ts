import { numberText } from '../docx/docx-numbers.js'
import type { Attributes } from '../docx/docx-xml.js'
import { type OdfStyles, OUTLINE } from './odf-styles.js'

/** A hostile file may have any number of lists that others continue. */
const MAX_LISTS = 20_000
const MAX_DEPTH = 10

type Numbers = (number | undefined)[]

/** An open list, or an open level of one. */
interface OpenList {
  readonly style: string
  readonly numbers: Numbers
  /** The item whose first paragraph has not come yet. */
  item: { readonly start: number | undefined } | undefined
  isItemCounted: boolean
}

/** Counts the items of lists, and the headings that have automatic numbers. */
export class OdfNumbers {
  /** The open lists from the outermost one on. A box has lists of its own. */
  #lists: OpenList[] = []
  readonly #outer: OpenList[][] = []
  readonly #byId = new Map<string, Numbers>()
  readonly #byStyle = new Map<string, Numbers>()
  readonly #outline: Numbers = []

  constructor(private readonly styles: OdfStyles) {}

  enterBox(): void {
    this.#outer.push(this.#lists)
    this.#lists = []
  }

  leaveBox(): void {
    this.#lists = this.#outer.pop() ?? []
  }

  openList(attribute: Attributes): void {
    const outer = this.#lists.at(-1)
    const style = attribute('style-name') ?? outer?.style ?? OUTLINE
    const isContinued = attribute('continue-numbering') === 'true'
    if (outer !== undefined) {
      if (outer.isItemCounted && !isContinued) outer.numbers.length = Math.min(outer.numbers.length, this.#lists.length)
      this.#lists.push({ style, numbers: outer.numbers, item: undefined, isItemCounted: false })
      return
    }
    const continued = this.#byId.get(attribute('continue-list') ?? '')
    const numbers = continued ?? (isContinued ? this.#byStyle.get(style) : undefined) ?? []
    const id = attribute(':id')
    if (id !== undefined && this.#byId.size < MAX_LISTS) this.#byId.set(id, numbers)
    if (this.#byStyle.has(style) || this.#byStyle.size < MAX_LISTS) this.#byStyle.set(style, numbers)
    this.#lists.push({ style, numbers, item: undefined, isItemCounted: false })
  }

  closeList(): void {
    this.#lists.pop()
  }

  openItem(attribute: Attributes): void {
    const list = this.#lists.at(-1)
    if (list === undefined) return
    const start = attribute('start-value')
    list.item = { start: start === undefined ? undefined : Number(start) }
    list.isItemCounted = false
  }

  closeItem(): void {
    const list = this.#lists.at(-1)
    if (list !== undefined) list.item = undefined
  }

  /** The label of a paragraph with the space behind it: of the first one of an item. @returns '' without a number */
  ofParagraph(): string {
    const list = this.#lists.at(-1)
    const level = this.#lists.length - 1
    if (list?.item === undefined || level >= MAX_DEPTH) return ''
    const { start } = list.item
    list.item = undefined
    list.isItemCounted = true
    return this.#next(list.style, list.numbers, level, start)
  }

  /** The label of a heading. @param level from 1 */
  ofHeading(level: number, attribute: Attributes): string {
    if (this.#lists.length > 0) return this.ofParagraph()
    if (attribute('is-list-header') === 'true' || level > MAX_DEPTH) return ''
    const start = attribute('restart-numbering') === 'true' ? Number(attribute('start-value') ?? '1') : undefined
    return this.#next(OUTLINE, this.#outline, level - 1, start)
  }

  #next(style: string, numbers: Numbers, at: number, start: number | undefined): string {
    const level = this.styles.level(style, at)
    const last = numbers[at]
    const next = last === undefined ? (level?.start ?? 1) : last + 1
    numbers[at] = start !== undefined && Number.isInteger(start) && start >= 0 ? start : next
    numbers.length = at + 1
    if (level === undefined || level.format === 'none') return ''
    const shown: string[] = []
    for (let each = Math.max(0, at + 1 - level.shown); each <= at; each += 1) {
      const { format, start: first } = this.styles.level(style, each) ?? { format: 'none', start: 1 }
      if (format !== 'none') shown.push(numberText(numbers[each] ?? first, format))
    }
    return `${level.prefix}${shown.join('.')}${level.suffix}`.trim().concat(' ')
  }
}
