import { decodeWhole } from '../../charsets/charset-decoder.js'
import { symbol } from '../docx/docx-symbols.js'

/** The encoding of texts that name none, or one that no decoder knows. */
export const USUAL_ENCODING = 'windows-1252'

/** Bytes of one encoding that are not decoded yet: a character may have several, in several tokens. */
export class RtfBytes {
  /** The encoding of the bytes; '' for the codes of a symbol font. */
  encoding = ''
  /** True if no decoder knows the encoding of the bytes that were taken last: they are read as {@link USUAL_ENCODING}. */
  isUnsure = false
  #bytes: Uint8Array[] = []

  /** Take the bytes of another encoding before. */
  add(bytes: Uint8Array, encoding: string): void {
    this.encoding = encoding
    this.#bytes.push(bytes)
  }

  /** Decodes the bytes, and forgets them. @param font the name of their font */
  take(font: string | undefined): string {
    if (this.#bytes.length === 0) return ''
    const bytes = Buffer.concat(this.#bytes)
    this.#bytes = []
    this.isUnsure = false
    if (this.encoding !== '') return this.#decoded(bytes)
    return Array.from(bytes, (byte) => symbol(font, byte.toString(16))).join('')
  }

  #decoded(bytes: Uint8Array): string {
    try {
      return decodeWhole(this.encoding, bytes)
    } catch {
      this.isUnsure = bytes.some((byte) => byte >= 0x80)
      return decodeWhole(USUAL_ENCODING, bytes)
    }
  }
}
