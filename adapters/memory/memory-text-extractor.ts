import {
  ClosedError,
  type ExtractedPiece,
  ExtractionError,
  type ExtractionSource,
  type TextExtractor,
  type TextFormat,
} from '../../src/ports/index.js'

/** Reads plain text in UTF-8, in the calling thread. */
export class MemoryTextExtractor implements TextExtractor {
  readonly formats: readonly TextFormat[] = [
    { extension: '.txt', contentType: 'text/plain' },
    { extension: '.md', contentType: 'text/markdown' },
  ]
  #isClosed = false

  async identify(fileName: string, head: Uint8Array): Promise<TextFormat> {
    const format = this.formats.find(({ extension }) => fileName.toLowerCase().endsWith(extension))
    if (format === undefined) {
      throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', 'The name must end in one of .txt, .md')
    }
    if (head.length === 0) throw new ExtractionError('ERR_EMPTY_FILE', 'The file is empty')
    if (head[0] === 0x7f && head[1] === 0x45)
      throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', 'The file is a program')
    return format
  }

  async *extract(
    source: ExtractionSource,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<ExtractedPiece> {
    if (this.#isClosed) throw new ClosedError('the text extractor')
    const decoder = new TextDecoder('utf-8', { fatal: true })
    let hasText = false
    for await (const bytes of source.open()) {
      options.signal?.throwIfAborted()
      const text = decodeText(() => decoder.decode(bytes, { stream: true }))
      hasText ||= text.trim() !== ''
      if (text !== '') yield { text }
    }
    decodeText(() => decoder.decode())
    if (!hasText) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }
}

function decodeText(decode: () => string): string {
  try {
    return decode().replaceAll('\0', '\uFFFD')
  } catch (error) {
    throw new ExtractionError('ERR_UNDECODABLE_TEXT', 'The text is not UTF-8', { cause: error })
  }
}
