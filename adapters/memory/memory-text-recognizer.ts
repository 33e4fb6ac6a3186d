import { ClosedError, ExtractionError, type RecognizedText, type TextRecognizer } from '../../src/ports/index.js'

/** The first bytes of a PNG, and the name of its last part. */
const [BEGINNING, END] = ['\x89PNG\r\n\x1a\n', 'IEND']
/** The part of a PNG with its description in Latin-1. The two bytes before its name are half of its length. */
const DESCRIPTION = /([^])([^])tEXtDescription\0/

/** "Reads" the description in the metadata of a PNG in the place of its pixels. */
export class MemoryTextRecognizer implements TextRecognizer {
  readonly id: string = 'memory'
  #isClosed = false

  async recognize(picture: Uint8Array, { signal }: { readonly signal?: AbortSignal } = {}): Promise<RecognizedText> {
    if (this.#isClosed) throw new ClosedError('the text recogniser')
    signal?.throwIfAborted()
    const bytes = Buffer.from(picture).toString('latin1')
    if (!bytes.startsWith(BEGINNING) || !bytes.includes(END)) {
      throw new ExtractionError('ERR_CORRUPT_FILE', 'The picture is damaged and cannot be read')
    }
    const found = DESCRIPTION.exec(bytes)
    if (found === null) return { text: '', confidence: 0 }
    const { index, 0: name, 1: high = '', 2: low = '' } = found
    const length = high.charCodeAt(0) * 256 + low.charCodeAt(0) - 'Description\0'.length
    return { text: bytes.slice(index + name.length, index + name.length + length).trim(), confidence: 1 }
  }

  close(): Promise<void> {
    this.#isClosed = true
    return Promise.resolve()
  }
}
