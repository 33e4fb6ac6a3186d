/** Receives the paragraphs of a text, one after the other. */
export interface Blocks {
  add(paragraph: string): void
}

/** Paragraphs as lines. Any number of empty paragraphs becomes one empty line. */
export class Story implements Blocks {
  #text = ''
  #breaks = 0
  #hasText = false

  add(paragraph: string): void {
    const text = paragraph.trimEnd()
    if (text === '') {
      this.leaveGap()
      return
    }
    this.#text += (this.#hasText ? '\n'.repeat(this.#breaks) : '') + text
    this.#hasText = true
    this.#breaks = 1
  }

  /** Puts an empty line before the next paragraph. */
  leaveGap(): void {
    this.#breaks = 2
  }

  /** The number of characters that are not taken yet. */
  get length(): number {
    return this.#text.length
  }

  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** Collects paragraphs for later. */
export class KeptBlocks implements Blocks {
  readonly paragraphs: string[] = []

  add(paragraph: string): void {
    const text = paragraph.trimEnd()
    if (text !== '') this.paragraphs.push(text)
  }
}
