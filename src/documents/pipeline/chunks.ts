import { termsOf, textParts } from '../../analysis/index.js'
import { hashText } from '../../kernel/hash-text.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import type {
  ChunkGaps,
  ChunkPlace,
  ErrorReason,
  ExtractedPiece,
  NewChunk,
  TokenCounter,
  WindowRecord,
} from '../../ports/index.js'
import { type Chunk, Chunker, type ChunkerOptions, splitText } from '../chunking/chunker.js'
import type { FormerEnds } from '../chunking/former-ends.js'
import { languageCodeOf } from '../languages/known-languages.js'
import { Gaps } from './gaps.js'
import { Structure } from './structure.js'

/** A chunk with its pages and headings, and with the white space around it. */
export type PlacedChunk = Chunk & ChunkPlace & ChunkGaps

/** Facts about a text. They are complete once {@link chunkStream} is read to its end. */
export interface TextSummary {
  characters: number
  tokens: number
  pages: number | null
  /** Pages whose text was recognised in pictures. */
  recognised: number
  warnings: string[]
  /** {@link warnings} for programs, in the same order. */
  warningReasons: (ErrorReason | null)[]
  /** ISO 639-1 code; null if it is not sure. */
  language: string | null
  /** Milliseconds spent waiting for the extractor. */
  extractMs: number
}

export function emptySummary(): TextSummary {
  return {
    characters: 0,
    tokens: 0,
    pages: null,
    recognised: 0,
    warnings: [],
    warningReasons: [],
    language: null,
    extractMs: 0,
  }
}

/** Cuts text into chunks as it arrives, in short slices, so that the event loop stays free. */
export async function* chunkStream(
  pieces: AsyncIterable<ExtractedPiece>,
  tokenizer: TokenCounter,
  options: ChunkerOptions,
  summary: TextSummary,
  formerEnds?: FormerEnds,
): AsyncGenerator<PlacedChunk> {
  const chunker = new Chunker(tokenizer, options, formerEnds)
  const structure = new Structure()
  const gaps = new Gaps()
  const slice = new TimeSlice()
  const place = (chunk: Chunk): PlacedChunk => {
    return { ...chunk, ...structure.placeOf(chunk), gapBefore: gaps.before(chunk), gapAfter: null }
  }
  // The last chunk has the white space after it, so each chunk waits for the next one.
  let last: PlacedChunk | undefined
  for await (const piece of timed(pieces, summary)) {
    structure.add(piece.marks ?? [], summary.characters)
    summary.pages = piece.pages ?? summary.pages
    summary.recognised = piece.recognised ?? summary.recognised
    for (const [index, message] of (piece.warnings ?? []).entries()) {
      summary.warnings.push(message)
      summary.warningReasons.push(piece.warningReasons?.[index] ?? null)
    }
    summary.language = languageCodeOf(piece.language) ?? summary.language
    for (const text of splitText(piece.text)) {
      summary.characters += text.length
      gaps.add(text)
      for (const chunk of chunker.push(text)) {
        if (last !== undefined) yield last
        last = place(chunk)
        await slice.pauseIfOver()
      }
      gaps.settle(chunker.settled)
      await slice.pauseIfOver()
    }
  }
  for (const chunk of chunker.end()) {
    if (last !== undefined) yield last
    last = place(chunk)
    await slice.pauseIfOver()
  }
  if (last !== undefined) yield { ...last, gapAfter: gaps.end() }
  summary.tokens = chunker.tokens
}

async function* timed<Item>(items: AsyncIterable<Item>, summary: TextSummary): AsyncGenerator<Item> {
  let startedAt = performance.now()
  for await (const item of items) {
    summary.extractMs += performance.now() - startedAt
    yield item
    startedAt = performance.now()
  }
}

/** The chunk with hashes of itself and of its windows, under the model with this fingerprint. */
export async function hashedChunk(
  { text, windows: plainWindows, ...chunk }: PlacedChunk,
  fingerprint: string,
): Promise<NewChunk> {
  const windows = plainWindows.map(async (window): Promise<WindowRecord> => {
    return { ...window, hash: await hashText(`${fingerprint}\0${text.slice(window.start, window.end)}`) }
  })
  // The hash also covers the place and the gaps: a chunk with the same text at another place is written again.
  const { pageFirst, pageLast, headings, gapBefore, gapAfter } = chunk
  const placed = JSON.stringify([text, pageFirst, pageLast, headings, gapBefore, gapAfter])
  const hash = await hashText(`${fingerprint}\0${placed}`)
  return { ...chunk, content: text, hash, windows: await Promise.all(windows) }
}

/** The terms of a chunk's text. Made in slices: a chunk may have 8,192 tokens and half a million characters. */
export async function chunkTerms(text: string, slice: TimeSlice): Promise<string[]> {
  const terms: string[] = []
  for (const part of textParts(text)) {
    for (const term of termsOf(part.text)) terms.push(term)
    await slice.pauseIfOver()
  }
  return terms
}
