import { ExtractionError } from '../../../../src/ports/index.js'
import type { XmlVisitor } from '../docx/docx-xml.js'

const MAX_BYTES = 256 * 1_048_576
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The texts that cells of a workbook share. They are kept as bytes: a million short strings take 20 MB. */
export class StringTable implements XmlVisitor {
  #bytes = new Uint8Array(65_536)
  #length = 0
  #ends = new Uint32Array(1_024)
  #count = 0
  #text = ''
  #isText = false
  #phoneticDepth = 0

  /** @returns `undefined` if there is no such text */
  get(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#count) return undefined
    const start = index === 0 ? 0 : this.#ends[index - 1]
    return decoder.decode(this.#bytes.subarray(start, this.#ends[index]))
  }

  open(name: string): void {
    if (name === 'x:rPh') this.#phoneticDepth += 1
    this.#isText = name === 'x:t' && this.#phoneticDepth === 0
    if (name === 'x:si') this.#text = ''
  }

  close(name: string): void {
    this.#isText = false
    if (name === 'x:rPh') this.#phoneticDepth -= 1
    else if (name === 'x:si') this.#keep(this.#text)
  }

  text(text: string): void {
    if (this.#isText) this.#text += text
  }

  #keep(text: string): void {
    // UTF-8 has at most three bytes for a unit of UTF-16.
    const needed = this.#length + text.length * 3
    if (needed > MAX_BYTES) {
      throw new ExtractionError(
        'ERR_EXTRACTION_LIMIT',
        'The workbook has more than 256 MB of different texts: split it',
      )
    }
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    if (this.#count === this.#ends.length) {
      const grown = new Uint32Array(this.#ends.length * 2)
      grown.set(this.#ends)
      this.#ends = grown
    }
    this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written
    this.#ends[this.#count] = this.#length
    this.#count += 1
  }
}
