/** How U+FFFD itself is written in the encodings that have it. */
const BYTES: Readonly<Record<string, readonly number[]>> = {
  'utf-8': [0xef, 0xbf, 0xbd],
  'utf-16le': [0xfd, 0xff],
  'utf-16be': [0xff, 0xfd],
  'utf-32le': [0xfd, 0xff, 0, 0],
  'utf-32be': [0, 0, 0xff, 0xfd],
  gb18030: [0x84, 0x31, 0xa4, 0x37],
}

/** Counts the U+FFFD that stand in a text's bytes, which no decoder has put there. */
export class LiteralReplacements {
  readonly #pattern: Uint8Array
  /** Bytes of a unit: where a character can begin. */
  readonly #unit: number
  #tail: Uint8Array = new Uint8Array()
  /** Bytes before the tail. */
  #offset = 0

  /** @param charset in others than those that Unicode is written in, there are none */
  constructor(charset: string) {
    const name = charset.toLowerCase()
    this.#pattern = Uint8Array.from(BYTES[name] ?? [])
    this.#unit = name.startsWith('utf-16') ? 2 : name.startsWith('utf-32') ? 4 : 1
  }

  /** How many end in the next bytes of the text. */
  in(piece: Uint8Array): number {
    const length = this.#pattern.length
    if (length === 0) return 0
    const bytes = Buffer.concat([this.#tail, piece])
    let count = 0
    for (let at = bytes.indexOf(this.#pattern); at >= 0; at = bytes.indexOf(this.#pattern, at + 1)) {
      if ((this.#offset + at) % this.#unit === 0) count += 1
    }
    // Shorter than the pattern: what was counted is not counted again.
    this.#tail = bytes.subarray(Math.max(0, bytes.length - length + 1))
    this.#offset += bytes.length - this.#tail.length
    return count
  }
}
