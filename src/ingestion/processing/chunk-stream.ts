import type { ExtractedPiece, Tokenizer } from '../../ports/index.js'
import { TimeSlice } from '../../shared/time-slice.js'
import { type Chunk, Chunker, type ChunkerOptions } from '../chunking/chunker.js'
import { textParts } from '../chunking/text-parts.js'

/** What is known of a text once its chunks have been taken. */
export interface TextSummary {
  characters: number
  tokens: number
  pages: number | null
  warnings: string[]
  /** Milliseconds spent waiting for the extractor. */
  extractMs: number
}

export function emptySummary(): TextSummary {
  return { characters: 0, tokens: 0, pages: null, warnings: [], extractMs: 0 }
}

/** Cuts text into chunks as it arrives, in slices that leave the event loop free. */
export async function* chunkStream(
  pieces: AsyncIterable<ExtractedPiece>,
  tokenizer: Tokenizer,
  options: ChunkerOptions,
  summary: TextSummary,
): AsyncGenerator<Chunk> {
  const chunker = new Chunker(tokenizer, options)
  const slice = new TimeSlice()
  for await (const piece of timed(pieces, summary)) {
    summary.pages = piece.pages ?? summary.pages
    summary.warnings.push(...(piece.warnings ?? []))
    for (const text of textParts(piece.text)) {
      summary.characters += text.length
      for (const chunk of chunker.push(text)) {
        yield chunk
        await slice.breathe()
      }
      await slice.breathe()
    }
  }
  for (const chunk of chunker.end()) {
    yield chunk
    await slice.breathe()
  }
  summary.tokens = chunker.tokens
}

async function* timed<Item>(items: AsyncIterable<Item>, summary: TextSummary): AsyncGenerator<Item> {
  let began = performance.now()
  for await (const item of items) {
    summary.extractMs += performance.now() - began
    yield item
    began = performance.now()
  }
}
