import { isAscii } from 'node:buffer'

/** Bytes below this are never a part of a character of more than one byte (UTF-16 and UTF-32 apart). */
const FIRST_TRAIL_BYTE = 0x30
const HEAD_BYTES = 8_192
const WORDS_BYTES = 8_192
const LINES_BYTES = 32_768
/** A longer word is cut: it is a text without blanks. */
const MAX_WORD_BYTES = 4_096
const MAX_LINE_BYTES = 2_048
/** Of the pieces that are not ASCII, the first are examined, and then some. */
const FIRST_PIECES = 16
const NTH_PIECE = 64
/** How encodings of seven bits leave ASCII: ISO-2022, HZ, UTF-7. */
const ESCAPE = /\x1B[$(]|~\{|\+[A-Za-z0-9+/]{3}/

/** Of a text, what tells its encoding: its beginning, and what is not ASCII from all over it. */
export class CharsetSample {
  #head: Uint8Array = new Uint8Array()
  readonly #words = new Parts({ isEnd: isBreak, isWanted: isForeign, partBytes: MAX_WORD_BYTES, bytes: WORDS_BYTES })
  readonly #lines = new Parts({
    isEnd: isLineBreak,
    isWanted: isForeign,
    partBytes: MAX_LINE_BYTES,
    bytes: LINES_BYTES,
  })
  readonly #escapes = new Parts({
    isEnd: isLineBreak,
    isWanted: isEscape,
    partBytes: MAX_LINE_BYTES,
    bytes: LINES_BYTES,
  })

  #foreignPieces = 0

  get head(): Uint8Array {
    return this.#head
  }

  /** What stands between blanks, ASCII punctuation and the like, separated by blanks. */
  get words(): Uint8Array {
    return this.#words.joined(' ')
  }

  get lines(): Uint8Array {
    return this.#lines.joined('\n')
  }

  /** Lines of ASCII that may be something else in an encoding of seven bits. */
  get escapes(): Uint8Array {
    return this.#escapes.joined('\n')
  }

  get isFull(): boolean {
    return this.#head.length === HEAD_BYTES && this.#words.isFull && this.#lines.isFull
  }

  add(piece: Uint8Array): void {
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, piece.subarray(0, HEAD_BYTES - this.#head.length)])
    }
    if (mayEscape(piece)) this.#escapes.add(piece)
    else this.#escapes.end()
    if (!isAscii(piece)) this.#foreignPieces += 1
    const isExamined = !isAscii(piece) && (this.#foreignPieces <= FIRST_PIECES || this.#foreignPieces % NTH_PIECE === 0)
    for (const parts of [this.#words, this.#lines]) {
      if (isExamined) parts.add(piece)
      else parts.end()
    }
  }

  end(): void {
    for (const parts of [this.#words, this.#lines, this.#escapes]) parts.end()
  }
}

function isBreak(byte: number): boolean {
  return byte < FIRST_TRAIL_BYTE
}

function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d
}

function isForeign(part: Uint8Array): boolean {
  return !isAscii(part)
}

function isEscape(part: Uint8Array): boolean {
  return ESCAPE.test(latin1(part))
}

/** Most texts have nothing of it, and that is quickly seen. */
function mayEscape(piece: Uint8Array): boolean {
  return piece.includes(0x1b) || piece.includes(0x2b) || piece.includes(0x7e)
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

interface PartsOptions {
  isEnd(byte: number): boolean
  isWanted(part: Uint8Array): boolean
  /** Of a longer part, only the beginning is kept. */
  readonly partBytes: number
  /** Of all parts together. */
  readonly bytes: number
}

/** Different parts of a text: a sign in every row of a table must not outweigh the rest. */
class Parts {
  readonly #options: PartsOptions
  readonly #parts = new Set<string>()
  #size = 0
  /** The part that the next piece goes on with. */
  #begun: Uint8Array = new Uint8Array()

  constructor(options: PartsOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#size >= this.#options.bytes
  }

  add(piece: Uint8Array): void {
    let from = 0
    for (let at = 0; at < piece.length && !this.isFull; at += 1) {
      if (!this.#options.isEnd(piece[at] ?? 0)) continue
      this.#extend(piece.subarray(from, at))
      this.end()
      from = at + 1
    }
    if (!this.isFull) this.#extend(piece.subarray(from))
  }

  end(): void {
    const part = this.#begun
    if (part.length === 0) return
    this.#begun = new Uint8Array()
    if (this.isFull || !this.#options.isWanted(part)) return
    const text = latin1(part)
    if (this.#parts.has(text)) return
    this.#parts.add(text)
    this.#size += text.length
  }

  joined(separator: string): Uint8Array {
    return Buffer.from([...this.#parts].join(separator), 'latin1')
  }

  #extend(bytes: Uint8Array): void {
    const added = bytes.subarray(0, Math.max(0, this.#options.partBytes - this.#begun.length))
    this.#begun = this.#begun.length === 0 ? added : Buffer.concat([this.#begun, added])
  }
}
