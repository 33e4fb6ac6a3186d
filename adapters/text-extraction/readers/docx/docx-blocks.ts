/** Takes text in paragraphs, one after the other. */
export interface Blocks {
  add(paragraph: string): void
}

/** Paragraphs as lines; empty ones, however many, as one empty line. */
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

  /** What follows is something else: an empty line goes before it. */
  leaveGap(): void {
    this.#breaks = 2
  }

  /** Characters that have not been taken. */
  get length(): number {
    return this.#text.length
  }

  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** Paragraphs that are kept for later. */
export class KeptBlocks implements Blocks {
  readonly paragraphs: string[] = []

  add(paragraph: string): void {
    const text = paragraph.trimEnd()
    if (text !== '') this.paragraphs.push(text)
  }
}
