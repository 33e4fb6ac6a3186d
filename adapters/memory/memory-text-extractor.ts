import {
  ClosedError,
  type ExtractedPiece,
  ExtractionError,
  type ExtractionSource,
  type TextExtractor,
  type TextFormat,
} from '../../src/ports/index.js'

const HEADING = /^(#{1,6})[ \t]+(.*\S)/gm
const MAX_HEADING_CHARACTERS = 200
/** A text whose name says nothing about its format. */
const PLAIN_TEXT: TextFormat = { extension: '', contentType: 'text/plain' }

/** Reads plain text in UTF-8, in the calling thread. The headings of Markdown are its lines with number signs. */
export class MemoryTextExtractor implements TextExtractor {
  readonly formats: readonly TextFormat[] = [
    { extension: '.txt', contentType: 'text/plain' },
    { extension: '.md', contentType: 'text/markdown' },
  ]
  #isClosed = false

  async identify(fileName: string, head: Uint8Array, contentType?: string): Promise<TextFormat> {
    const format =
      this.formats.find(({ extension }) => fileName.toLowerCase().endsWith(extension)) ??
      (contentType === PLAIN_TEXT.contentType ? PLAIN_TEXT : undefined)
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
    const isMarkdown = source.fileName.toLowerCase().endsWith('.md')
    let line = ''
    let hasText = false
    for await (const bytes of source.open()) {
      options.signal?.throwIfAborted()
      const text = line + decodeText(() => decoder.decode(bytes, { stream: true }))
      hasText ||= text.trim() !== ''
      const end = isMarkdown ? text.lastIndexOf('\n') + 1 : text.length
      line = text.slice(end)
      if (end > 0) yield isMarkdown ? withHeadings(text.slice(0, end)) : { text }
    }
    decodeText(() => decoder.decode())
    if (line !== '') yield withHeadings(line)
    if (!hasText) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }
}

function withHeadings(text: string): ExtractedPiece {
  const marks = [...text.matchAll(HEADING)].map(({ 1: signs = '', 2: line = '', index }) => {
    return { at: index, heading: line.slice(0, MAX_HEADING_CHARACTERS).toWellFormed(), level: signs.length }
  })
  return { text, marks }
}

function decodeText(decode: () => string): string {
  try {
    return decode().replaceAll('\0', '\uFFFD')
  } catch (error) {
    throw new ExtractionError('ERR_UNDECODABLE_TEXT', 'The text is not UTF-8', { cause: error })
  }
}
