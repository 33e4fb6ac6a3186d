const SPECIAL = /[\u00A0\u00AD]/
/** White space that becomes one space. */
const WHITE_SPACE = /[\t\r\n\f]| {2}/

/** Collects the text of one paragraph. White space becomes one space, unless it is preformatted. */
export class HtmlParagraph {
  #text = ''
  #endsWithSpace = true
  #isPreformatted = false

  get length(): number {
    return this.#text.length
  }

  /** Adds text of the page. Invisible hyphens are left out. */
  add(text: string, isPreformatted: boolean): void {
    const shown = SPECIAL.test(text) ? text.replaceAll('\u00AD', '').replaceAll('\u00A0', ' ') : text
    if (isPreformatted) {
      this.#isPreformatted = true
      this.write(shown.replaceAll(/\r\n?/g, '\n'))
      return
    }
    const collapsed = WHITE_SPACE.test(shown) ? shown.replaceAll(/[ \t\r\n\f]+/g, ' ') : shown
    this.write(this.#endsWithSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed)
  }

  /** Adds text as it is. */
  write(text: string): void {
    if (text === '') return
    this.#text += text
    this.#endsWithSpace = text.endsWith(' ') || text.endsWith('\n')
  }

  /** Takes the whole paragraph. */
  take(): string {
    const text = this.#isPreformatted ? this.#text.replace(/^\n+/, '') : this.#text.replaceAll(/ ?\n ?/g, '\n').trim()
    this.#text = ''
    this.#endsWithSpace = true
    this.#isPreformatted = false
    return text.trimEnd()
  }

  /** Takes a long beginning of the paragraph, up to a space if there is one. */
  takePart(): string {
    const end = Math.max(this.#text.lastIndexOf(' '), this.#text.lastIndexOf('\n')) + 1
    const part = end === 0 ? this.#text : this.#text.slice(0, end)
    this.#text = end === 0 ? '' : this.#text.slice(end)
    this.#endsWithSpace = this.#text === ''
    return part
  }
}
