const PART_CHARACTERS = 500
const MOST_PARTS = 16

/**
 * Parts of a text that are spread over it, made while the text arrives. All of a short text; half to all of the 8,000
 * characters of a long one.
 */
export class TextSample {
  #parts: string[] = ['']
  /** Every so many parts of the text, one is kept. */
  #every = 1
  /** Number of the current part of the text, and the characters of it that have arrived. */
  #part = 0
  #length = 0

  add(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#length === PART_CHARACTERS) this.#begin()
      const taken = Math.min(PART_CHARACTERS - this.#length, text.length - at)
      if (this.#part % this.#every === 0) this.#parts.push(`${this.#parts.pop() ?? ''}${text.slice(at, at + taken)}`)
      this.#length += taken
      at += taken
    }
  }

  /** The parts in the order of the text, each of at most 500 UTF-16 units. */
  get parts(): readonly string[] {
    return this.#parts.filter((part) => part.trim() !== '')
  }

  #begin(): void {
    this.#part += 1
    this.#length = 0
    if (this.#part % this.#every !== 0) return
    if (this.#parts.length === MOST_PARTS) {
      this.#parts = this.#parts.filter((_, index) => index % 2 === 0)
      this.#every *= 2
    }
    if (this.#part % this.#every === 0) this.#parts.push('')
  }
}
