/** The bytes of U+FFFD in the encodings that can write it. */
const BYTES: Readonly<Record<string, readonly number[]>> = {
  'utf-8': [0xef, 0xbf, 0xbd],
  'utf-16le': [0xfd, 0xff],
  'utf-16be': [0xff, 0xfd],
  'utf-32le': [0xfd, 0xff, 0, 0],
  'utf-32be': [0, 0, 0xff, 0xfd],
  gb18030: [0x84, 0x31, 0xa4, 0x37],
}

/** Counts the U+FFFD in the bytes of a text. These come from the file and not from a decoder. */
export class LiteralReplacements {
  readonly #pattern: Uint8Array
  /** The bytes of a unit. A character begins at a multiple of it. */
  readonly #unit: number
  #tail: Uint8Array = new Uint8Array()
  /** The number of bytes before the tail. */
  #offset = 0

  /** @param charset only the Unicode encodings and GB18030 can write U+FFFD */
  constructor(charset: string) {
    const name = charset.toLowerCase()
    this.#pattern = Uint8Array.from(BYTES[name] ?? [])
    this.#unit = name.startsWith('utf-16') ? 2 : name.startsWith('utf-32') ? 4 : 1
  }

  /** Counts those that end in the next bytes of the text. */
  countIn(piece: Uint8Array): number {
    const length = this.#pattern.length
    if (length === 0) return 0
    const bytes = Buffer.concat([this.#tail, piece])
    let count = 0
    for (let index = bytes.indexOf(this.#pattern); index >= 0; index = bytes.indexOf(this.#pattern, index + 1)) {
      if ((this.#offset + index) % this.#unit === 0) count += 1
    }
    // The tail is shorter than the pattern, so that no match is counted twice.
    this.#tail = bytes.subarray(Math.max(0, bytes.length - length + 1))
    this.#offset += bytes.length - this.#tail.length
    return count
  }
}
