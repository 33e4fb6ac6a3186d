import type { ExtractedPiece } from '../../../src/ports/index.js'
import { detectCharset } from '../charset.js'
import { type FileBytes, storable } from './reader.js'

/** Reads plain text and Markdown as it stands. */
export async function* readText(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  let replaced = 0
  for await (const text of decodedText(file)) {
    replaced += text.split('\uFFFD').length - 1
    yield { text }
  }
  if (replaced > 0) yield { text: '', warnings: [`${replaced} characters could not be decoded and became U+FFFD`] }
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
