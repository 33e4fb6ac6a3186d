/** Values that no JSON may have and that some programs write, as Python does. */
const NO_NUMBERS = /NaN|-?Infinity/g
/** The end of a part that may be the beginning of such a value. */
const BEGINNING = /-?[A-Za-z]*$/
const LONGEST = 16

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
    const isAffected = mayHaveOne(text)
    let written = ''
    /** The index up to which the text is written. */
    let done = 0
    let at = 0
    while (at < text.length) {
      if (this.#isInString) {
        at = this.#endOfString(text, at)
        continue
      }
      const quote = text.indexOf('"', at)
      if (quote < 0) this.#rest = BEGINNING.exec(text.slice(Math.max(at, text.length - LONGEST)))?.[0] ?? ''
      const end = quote < 0 ? text.length - this.#rest.length : quote
      if (isAffected) {
        written += text.slice(done, at) + mended(text.slice(at, end))
        done = end
      }
      this.#isInString = quote >= 0
      at = quote < 0 ? text.length : quote + 1
    }
    return written + text.slice(done, text.length - this.#rest.length)
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

function mayHaveOne(text: string): boolean {
  return text.includes('NaN') || text.includes('Infinity')
}

function mended(text: string): string {
  if (!mayHaveOne(text)) return text
  return text.replaceAll(NO_NUMBERS, (value) => (value === 'NaN' ? 'null' : `"${value}"`))
}
