import type { ExtractedPiece } from '../../../src/ports/index.js'
import { detectCharset } from '../charset.js'
import { type FileBytes, storable } from './reader.js'

/** Reads plain text and Markdown as it stands. */
export async function* readText(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const replacements = new Replacements()
  for await (const text of replacements.counted(decodedText(file))) yield { text }
  yield* replacements.warning()
}

/** Counts the characters that could not be decoded, for the receipt. */
export class Replacements {
  #count = 0

  async *counted(texts: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const text of texts) {
      this.#count += text.split('\uFFFD').length - 1
      yield text
    }
  }

  /** A piece without text that says how many there were, where there were any. */
  *warning(): Generator<ExtractedPiece> {
    if (this.#count === 0) return
    yield { text: '', warnings: [`${this.#count} characters could not be decoded and became U+FFFD`] }
  }
}

/** The text of a file in whatever encoding, without its byte-order mark. */
export async function* decodedText(file: FileBytes): AsyncGenerator<string> {
  const charset = await detectCharset(file.open())
  const decoder = charset.createDecoder()
  let isFirst = true
  for await (const bytes of file.open()) {
    const text = decoder.write(bytes)
    if (text === '') continue
    yield storable(isFirst ? text.replace(/^\uFEFF/, '') : text)
    isFirst = false
  }
  const rest = decoder.end()
  if (rest !== '') yield storable(rest)
}
