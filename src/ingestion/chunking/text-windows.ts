import type { Tokenizer } from '../../ports/index.js'
import { Chunker } from './chunker.js'

/** The windows that a whole text makes, as texts; one for a short text, none for a blank one. */
export function textWindows(text: string, tokenizer: Tokenizer, windowTokens: number): string[] {
  // A chunk without an end: the windows of all of the text.
  const chunker = new Chunker(tokenizer, { chunkSizeTokens: Number.MAX_SAFE_INTEGER, overlap: 0, windowTokens })
  const chunks = [...chunker.push(text), ...chunker.end()]
  return chunks.flatMap((chunk) => chunk.windows.map(({ start, end }) => chunk.text.slice(start, end)))
}
