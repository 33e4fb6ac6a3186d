import { Tokenize } from 'rtf-stream-parser'

/** The kinds of tokens, with the numbers of the library. */
export const TOKEN = { groupStart: 0, groupEnd: 1, control: 2, text: 3 } as const

/** A part of an RTF file. */
export interface RtfToken {
  readonly type: number
  /** The name of a control word, or the sign of a control symbol. */
  readonly word?: string
  readonly param?: number
  /** The bytes of a text, or the byte that a control symbol writes. */
  readonly data?: Uint8Array
}

/** The library joins the lines of a text, with a copy for each. In pieces of this length, the copies stay short. */
const PIECE_BYTES = 4_096
/** The mode of the library between two tokens. */
const BETWEEN = 0

/** Cuts RTF into tokens. */
export class RtfTokens extends Tokenize {
  #tokens: RtfToken[] = []

  /** @returns the tokens that end in the next bytes of the file */
  tokensOf(bytes: Uint8Array): readonly RtfToken[] {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.__transform(Buffer.from(bytes.subarray(at, at + PIECE_BYTES)), undefined)
      if (Number(this._mode) === BETWEEN) this._flushToken()
    }
    return this.#taken()
  }

  /** @returns the last token */
  lastTokens(): readonly RtfToken[] {
    this._flushToken()
    return this.#taken()
  }

  override push(token: RtfToken | null): boolean {
    if (token !== null) this.#tokens.push(token)
    return true
  }

  #taken(): readonly RtfToken[] {
    const tokens = this.#tokens
    this.#tokens = []
    return tokens
  }
}
