import { isAscii } from 'node:buffer'

const HEAD_BYTES = 8_192
/** The detector compares this many bytes with its models. */
const LINES_BYTES = 16_384
const LINE_FEED = 0x0a
/** Sequences by which seven-bit encodings (ISO-2022, HZ, UTF-7) leave ASCII. */
const ESCAPE = /\x1B[$(]|\x0E|~\{|\+[A-Za-z0-9+/]{3}/

/** The parts of a text that show its encoding: its beginning, and the lines with other bytes than ASCII. */
export class CharsetSample {
  #head: Uint8Array = new Uint8Array()
  readonly #lines = new Lines((line) => !isAscii(line))
  readonly #escapes = new Lines((line) => ESCAPE.test(line.toString('latin1')))

  get head(): Uint8Array {
    return this.#head
  }

  get lines(): Uint8Array {
    return this.#lines.joined()
  }

  /** Lines that may be text in a seven-bit encoding. */
  get escapes(): Uint8Array {
    return this.#escapes.joined()
  }

  get isFull(): boolean {
    return this.#head.length === HEAD_BYTES && this.#lines.isFull
  }

  add(block: Uint8Array): void {
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, block.subarray(0, HEAD_BYTES - this.#head.length)])
    }
    this.#lines.add(block)
    this.#escapes.add(block)
  }

  end(): void {
    this.#lines.end()
    this.#escapes.end()
  }
}

/** Collects the first lines that are wanted. A line stays whole, because a character that is cut misleads the detector. */
class Lines {
  readonly #kept: Buffer[] = []
  #bytes = 0
  /** The beginning of the line that the next block continues. */
  #rest = Buffer.alloc(0)

  constructor(private readonly isWanted: (line: Buffer) => boolean) {}

  get isFull(): boolean {
    return this.#bytes >= LINES_BYTES
  }

  add(block: Uint8Array): void {
    if (this.isFull) return
    const bytes = Buffer.concat([this.#rest, block])
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#keep(bytes.subarray(start, end + 1))
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    // A longer line fills the sample alone, or has only ASCII.
    if (this.#rest.length >= LINES_BYTES) this.end()
  }

  end(): void {
    this.#keep(this.#rest)
    this.#rest = Buffer.alloc(0)
  }

  joined(): Uint8Array {
    return Buffer.concat(this.#kept)
  }

  #keep(line: Buffer): void {
    if (this.isFull || !this.isWanted(line)) return
    const kept = line.subarray(0, LINES_BYTES - this.#bytes)
    this.#kept.push(kept)
    this.#bytes += kept.length
  }
}
