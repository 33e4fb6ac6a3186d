import type { ExtractedPiece } from '../../../src/ports/index.js'
import { DecodedText } from './decoded-text.js'
import type { FileBytes } from './reader.js'

/** Reads plain text and Markdown unchanged. */
export async function* readText(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const decoded = await DecodedText.of(file)
  for await (const text of decoded.pieces()) yield { text }
  yield* decoded.warning()
}
