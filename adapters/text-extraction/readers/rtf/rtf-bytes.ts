import { decoderFor } from '../../charsets/charset-decoder.js'
import { symbol } from '../docx/docx-symbols.js'

/** Bytes of one encoding that are not decoded yet: a character may have several, in several tokens. */
export class RtfBytes {
  /** The encoding of the bytes; '' for the codes of a symbol font. */
  encoding = ''
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
    if (this.encoding !== '') return decoded(bytes, this.encoding)
    return Array.from(bytes, (byte) => symbol(font, byte.toString(16))).join('')
  }
}

/** Text in an encoding that no decoder knows is read as western. */
function decoded(bytes: Uint8Array, encoding: string): string {
  try {
    const decoder = decoderFor(encoding)
    return decoder.write(bytes) + decoder.end()
  } catch {
    const decoder = decoderFor('windows-1252')
    return decoder.write(bytes) + decoder.end()
  }
}
