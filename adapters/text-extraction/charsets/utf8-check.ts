import { isAscii } from 'node:buffer'

/** Tells by all bytes of a text whether it is UTF-8, and whether it was before it was damaged. */
export class Utf8Check {
  readonly #strict = new TextDecoder('utf-8', { fatal: true })
  readonly #lenient = new TextDecoder('utf-8')
  /** Characters of more than one byte, about. */
  #sound = 0
  #broken = 0
  /** Whether no byte was wrong so far; a character that the end cuts is not. */
  isValid = true
  isAscii = true

  /**
   * Whether sound characters of more than one byte outweigh the wrong bytes:
   * other encodings have such ones only by accident.
   */
  get isLikely(): boolean {
    return this.#sound >= 2 && this.#sound >= this.#broken * 2
  }

  add(piece: Uint8Array): void {
    this.isAscii &&= isAscii(piece)
    if (this.isAscii) return
    if (this.isValid) {
      try {
        const text = this.#strict.decode(piece, { stream: true })
        // One or two bytes more than units of UTF-16 for each of them.
        this.#sound += Math.ceil((piece.length - text.length) / 2)
        return
      } catch {
        this.isValid = false
      }
    }
    this.#weigh(piece)
  }

  /** A text whose only character outside ASCII is cut by its end is something else. */
  end(): void {
    if (!this.isValid || this.#sound > 0) return
    try {
      this.#strict.decode()
    } catch {
      this.isValid = false
    }
  }

  #weigh(piece: Uint8Array): void {
    for (const character of this.#lenient.decode(piece, { stream: true })) {
      if (character === '\uFFFD') this.#broken += 1
      else if (character >= '\u0080') this.#sound += 1
    }
  }
}
