import { isAscii } from 'node:buffer'

/** Checks by all bytes of a text if it is UTF-8, or damaged UTF-8. */
export class Utf8Check {
  readonly #strict = new TextDecoder('utf-8', { fatal: true })
  readonly #lenient = new TextDecoder('utf-8')
  /** The approximate number of characters with more than one byte. */
  #validCharacters = 0
  #invalidCharacters = 0
  /** True if no byte was invalid so far. A character that is cut at the end does not count as invalid. */
  isValid = true
  isAscii = true

  /**
   * True if valid characters of more than one byte outnumber the invalid bytes. Other encodings have such characters
   * only by accident.
   */
  get isLikely(): boolean {
    return this.#validCharacters >= 2 && this.#validCharacters >= this.#invalidCharacters * 2
  }

  add(piece: Uint8Array): void {
    this.isAscii &&= isAscii(piece)
    if (this.isAscii) return
    if (this.isValid) {
      try {
        const text = this.#strict.decode(piece, { stream: true })
        // Such a character has one or two bytes more than UTF-16 units.
        this.#validCharacters += Math.ceil((piece.length - text.length) / 2)
        return
      } catch {
        this.isValid = false
      }
    }
    this.#count(piece)
  }

  /** A text whose only character outside ASCII is cut at its end is not UTF-8. */
  end(): void {
    if (!this.isValid || this.#validCharacters > 0) return
    try {
      this.#strict.decode()
    } catch {
      this.isValid = false
    }
  }

  #count(piece: Uint8Array): void {
    for (const character of this.#lenient.decode(piece, { stream: true })) {
      if (character === '\uFFFD') this.#invalidCharacters += 1
      else if (character >= '\u0080') this.#validCharacters += 1
    }
  }
}
