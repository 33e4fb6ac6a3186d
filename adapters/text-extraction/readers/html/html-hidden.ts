import { endsCell, isContainer } from './html-elements.js'

/**
 * Knows whether a page hides the text at a place. A hidden element ends with its end tag, or where an element around it
 * ends: many pages forget the end tag, and browsers show the rest.
 */
export class HiddenElement {
  /** The element that hides its content, and the number of open elements of that name. */
  #hidden: { readonly name: string; depth: number } | undefined
  /** The open containers by their names, outside the hidden element and in it. */
  readonly #outer = new Map<string, number>()
  #inner = new Map<string, number>()

  get isOpen(): boolean {
    return this.#hidden !== undefined
  }

  begin(name: string): void {
    this.#hidden = { name, depth: 1 }
    this.#inner = new Map()
  }

  /** @returns true if the element is hidden */
  open(name: string): boolean {
    if (this.#hidden !== undefined && this.#isNextCell(this.#hidden.name, name)) this.#end(this.#hidden.name)
    if (isContainer(name)) count(this.#hidden === undefined ? this.#outer : this.#inner, name, 1)
    if (this.#hidden === undefined) return false
    if (name === this.#hidden.name) this.#hidden.depth += 1
    return true
  }

  /** @returns true if the end tag belongs to the hidden element or is in it */
  close(name: string): boolean {
    const hidden = this.#hidden
    if (hidden === undefined) {
      if (isContainer(name)) count(this.#outer, name, -1)
      return false
    }
    if (name === hidden.name) {
      hidden.depth -= 1
      if (isContainer(name) && hidden.depth > 0) count(this.#inner, name, -1)
      if (hidden.depth === 0) this.#end(name)
      return true
    }
    if (!isContainer(name) || hidden.name === 'template') return true
    if ((this.#inner.get(name) ?? 0) > 0) {
      count(this.#inner, name, -1)
      return true
    }
    if ((this.#outer.get(name) ?? 0) === 0) return true
    this.#end(hidden.name)
    count(this.#outer, name, -1)
    return false
  }

  #end(name: string): void {
    this.#hidden = undefined
    if (isContainer(name)) count(this.#outer, name, -1)
  }

  /** True for a cell or row that follows the one with the hidden element. */
  #isNextCell(hidden: string, name: string): boolean {
    if (!endsCell(name) || (this.#inner.get('table') ?? 0) > 0 || /^(?:table|template)$/.test(hidden)) return false
    return (this.#outer.get('td') ?? 0) + (this.#outer.get('th') ?? 0) > 0
  }
}

function count(counts: Map<string, number>, name: string, change: number): void {
  counts.set(name, Math.max(0, (counts.get(name) ?? 0) + change))
}
