/** Values that no JSON may have and that some programs write, as Python does. */
const NO_NUMBERS = /NaN|-?Infinity/g
/** The end of a part that may be the beginning of such a value. */
const BEGINNING = /-?[A-Za-z]*$/

/**
 * Replaces `NaN` by `null`, and `Infinity` by a string, outside the strings of JSON. It keeps the end of a part that may
 * continue in the next one.
 */
export class JsonNumbers {
  #isInString = false
  #isEscaped = false
  #rest = ''

  write(part: string): string {
    const text = this.#rest + part
    this.#rest = ''
    let written = ''
    let start = 0
    while (start < text.length) {
      if (this.#isInString) {
        const end = this.#endOfString(text, start)
        written += text.slice(start, end)
        start = end
        continue
      }
      const quote = text.indexOf('"', start)
      const end = quote < 0 ? text.length : quote
      let between = text.slice(start, end)
      if (quote < 0) {
        this.#rest = BEGINNING.exec(between.slice(-16))?.[0] ?? ''
        between = between.slice(0, between.length - this.#rest.length)
      }
      written += mended(between)
      if (quote >= 0) {
        written += '"'
        this.#isInString = true
      }
      start = end + 1
    }
    return written
  }

  /** The rest of the text. */
  end(): string {
    const rest = mended(this.#rest)
    this.#rest = ''
    return rest
  }

  /** The index after the string, or after the text if the string continues. */
  #endOfString(text: string, from: number): number {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at += 1
    }
    while (at < text.length) {
      const character = text[at]
      at += 1
      if (character === '"') {
        this.#isInString = false
        return at
      }
      if (character !== '\\') continue
      if (at >= text.length) this.#isEscaped = true
      at += 1
    }
    return text.length
  }
}

function mended(text: string): string {
  if (!text.includes('NaN') && !text.includes('Infinity')) return text
  return text.replaceAll(NO_NUMBERS, (value) => (value === 'NaN' ? 'null' : `"${value}"`))
}
