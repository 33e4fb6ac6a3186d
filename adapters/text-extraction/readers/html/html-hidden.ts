import { isContainer, tablePartDepth } from './html-elements.js'
import { OpenContainers } from './html-open-containers.js'

/**
 * Knows whether a page hides the text at a place. A hidden element ends with its end tag, or where an element around it
 * ends: many pages forget the end tag, and browsers show the rest.
 */
export class HiddenElement {
  /** The element that hides its content, and the number of open elements of that name, unless it is a container. */
  #hidden: { readonly name: string; depth: number } | undefined
  /** The open containers outside the hidden element, with itself, and those in it. */
  readonly #outer = new OpenContainers(false)
  #inner = new OpenContainers(false)

  get isOpen(): boolean {
    return this.#hidden !== undefined
  }

  begin(name: string): void {
    this.#hidden = { name, depth: 1 }
    this.#inner = new OpenContainers(name === 'table')
  }

  /** @returns true if the element is hidden */
  open(name: string): boolean {
    if (this.#hidden !== undefined && this.#isNextPart(this.#hidden.name, name)) this.#end(this.#hidden.name)
    if (isContainer(name)) (this.#hidden === undefined ? this.#outer : this.#inner).open(name)
    if (this.#hidden === undefined) return false
    if (name === this.#hidden.name) this.#hidden.depth += 1
    return true
  }

  /** @returns true if the end tag belongs to the hidden element or is in it */
  close(name: string): boolean {
    const hidden = this.#hidden
    if (hidden === undefined) {
      if (isContainer(name)) this.#outer.close(name)
      return false
    }
    if (!isContainer(name)) {
      if (name !== hidden.name) return true
      hidden.depth -= 1
      if (hidden.depth === 0) this.#end(name)
      return true
    }
    if (hidden.name === 'template' || this.#inner.close(name) || this.#inner.hasTable) return true
    if (name === hidden.name) {
      this.#end(name)
      return true
    }
    if (hidden.name === 'table' || !this.#outer.close(name)) return true
    // The end tag of the outer element has ended the hidden one, too.
    this.#hidden = undefined
    return false
  }

  #end(name: string): void {
    this.#hidden = undefined
    if (isContainer(name)) this.#outer.close(name)
  }

  /** True for a part of a table that follows the one with the hidden element. */
  #isNextPart(hidden: string, name: string): boolean {
    if (tablePartDepth(name) === undefined || /^(?:table|template)$/.test(hidden)) return false
    return this.#outer.isInTable && !this.#inner.hasTable
  }
}
