import { DocxCount, type DocxNumbering } from './docx-numbering.js'
import type { DocxStyles, ListPlace } from './docx-styles.js'

/** Finds the automatic number of each paragraph of a part, by its own properties and those of its style. */
export class ParagraphNumber {
  readonly #count: DocxCount
  readonly #places = new Map<string, ListPlace>()
  #isOpen = false
  #style: string | undefined
  #list: string | undefined
  #level: number | undefined

  constructor(
    private readonly styles: DocxStyles,
    private readonly numbering: DocxNumbering,
  ) {
    this.#count = new DocxCount(numbering)
  }

  /** Begins a paragraph. */
  open(): void {
    this.#isOpen = true
    this.#style = this.styles.usualStyle
    this.#list = undefined
    this.#level = undefined
  }

  setStyle(style: string): void {
    this.#style = style
  }

  setList(list: string): void {
    this.#list = list
  }

  setLevel(level: number): void {
    this.#level = level
  }

  /** The paragraph counts as a part of the next one. */
  drop(): void {
    this.#isOpen = false
  }

  /** Counts the paragraph, once. @returns its number with the space behind it; '' without one */
  take(): string {
    if (!this.#isOpen) return ''
    this.#isOpen = false
    const { list, level } = this.#style === undefined ? NOWHERE : this.#placeOf(this.#style)
    // The level of a style counts in its own list only.
    const usual = this.#list === undefined || this.#list === list ? level : undefined
    return this.#count.next({ list: this.#list ?? list, level: this.#level ?? usual })
  }

  #placeOf(style: string): ListPlace {
    let place = this.#places.get(style)
    if (place === undefined) {
      place = this.styles.listPlace(style, (list, each) => this.numbering.levelOf(list, each))
      this.#places.set(style, place)
    }
    return place
  }
}

const NOWHERE: ListPlace = { list: undefined, level: undefined }
