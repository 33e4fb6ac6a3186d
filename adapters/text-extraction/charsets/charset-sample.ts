import { isAscii } from 'node:buffer'

/** Bytes below this are never a part of a multi-byte character, except in UTF-16 and UTF-32. */
const FIRST_TRAIL_BYTE = 0x30
const HEAD_BYTES = 8_192
const WORDS_BYTES = 8_192
const LINES_BYTES = 32_768
/** A longer word is cut: the text has no blanks. */
const MAX_WORD_BYTES = 4_096
const MAX_LINE_BYTES = 2_048
/** The first pieces with other bytes than ASCII are examined, then every {@link NTH_PIECE}th one. */
const FIRST_PIECES = 16
const NTH_PIECE = 64
/** Sequences by which seven-bit encodings (ISO-2022, HZ, UTF-7) leave ASCII. */
const ESCAPE = /\x1B[$(]|~\{|\+[A-Za-z0-9+/]{3}/

/** The parts of a text that show its encoding: its beginning, and the parts with other bytes than ASCII. */
export class CharsetSample {
  #head: Uint8Array = new Uint8Array()
  readonly #words = new Parts({ isEnd: isBreak, isWanted: isNonAscii, partBytes: MAX_WORD_BYTES, bytes: WORDS_BYTES })
  readonly #lines = new Parts({
    isEnd: isLineBreak,
    isWanted: isNonAscii,
    partBytes: MAX_LINE_BYTES,
    bytes: LINES_BYTES,
  })
  readonly #escapes = new Parts({
    isEnd: isLineBreak,
    isWanted: isEscape,
    partBytes: MAX_LINE_BYTES,
    bytes: LINES_BYTES,
  })

  #nonAsciiPieces = 0

  get head(): Uint8Array {
    return this.#head
  }

  /** Words: the bytes between blanks, ASCII punctuation and the like. Joined by blanks. */
  get words(): Uint8Array {
    return this.#words.joined(' ')
  }

  get lines(): Uint8Array {
    return this.#lines.joined('\n')
  }

  /** Lines of ASCII that may be text in a seven-bit encoding. */
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
    if (!isAscii(piece)) this.#nonAsciiPieces += 1
    const isExamined =
      !isAscii(piece) && (this.#nonAsciiPieces <= FIRST_PIECES || this.#nonAsciiPieces % NTH_PIECE === 0)
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

function isNonAscii(part: Uint8Array): boolean {
  return !isAscii(part)
}

function isEscape(part: Uint8Array): boolean {
  return ESCAPE.test(latin1(part))
}

/** A fast check: most texts have none of these bytes. */
function mayEscape(piece: Uint8Array): boolean {
  return piece.includes(0x1b) || piece.includes(0x2b) || piece.includes(0x7e)
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

interface PartsOptions {
  isEnd(byte: number): boolean
  isWanted(part: Uint8Array): boolean
  /** The most bytes of a part. The rest of a longer part is dropped. */
  readonly partBytes: number
  /** The most bytes of all parts together. */
  readonly bytes: number
}

/** Collects different parts of a text, so that a sign in every row of a table does not outweigh the rest. */
class Parts {
  readonly #options: PartsOptions
  readonly #parts = new Set<string>()
  #size = 0
  /** The part that the next piece continues. */
  #current: Uint8Array = new Uint8Array()

  constructor(options: PartsOptions) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#size >= this.#options.bytes
  }

  add(piece: Uint8Array): void {
    let start = 0
    for (let index = 0; index < piece.length && !this.isFull; index += 1) {
      if (!this.#options.isEnd(piece[index] ?? 0)) continue
      this.#extend(piece.subarray(start, index))
      this.end()
      start = index + 1
    }
    if (!this.isFull) this.#extend(piece.subarray(start))
  }

  end(): void {
    const part = this.#current
    if (part.length === 0) return
    this.#current = new Uint8Array()
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
    const added = bytes.subarray(0, Math.max(0, this.#options.partBytes - this.#current.length))
    this.#current = this.#current.length === 0 ? added : Buffer.concat([this.#current, added])
  }
}
