import { termsOf, textParts } from '../../analysis/index.js'
import { TimeSlice } from '../../kernel/time-slice.js'
import type { ExtractedPiece, NewChunk, Tokenizer, WindowRecord } from '../../ports/index.js'
import { splitText } from '../chunking/chunk-text.js'
import { type Chunk, Chunker, type ChunkerOptions } from '../chunking/chunker.js'

/** Facts about a text. They are complete once {@link chunkStream} is read to its end. */
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

/** Cuts text into chunks as it arrives, in short slices, so that the event loop stays free. */
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
    for (const text of splitText(piece.text)) {
      summary.characters += text.length
      for (const chunk of chunker.push(text)) {
        yield chunk
        await slice.pauseIfOver()
      }
      await slice.pauseIfOver()
    }
  }
  for (const chunk of chunker.end()) {
    yield chunk
    await slice.pauseIfOver()
  }
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

/** The terms of a chunk's text. Made in slices: a chunk may have 8,192 tokens and half a million characters. */
export async function chunkTerms(text: string, slice: TimeSlice): Promise<string[]> {
  const terms: string[] = []
  for (const part of textParts(text)) {
    for (const term of termsOf(part.text)) terms.push(term)
    await slice.pauseIfOver()
  }
  return terms
}

/** The chunk with hashes of its text and of its windows, under the model with this fingerprint. */
export async function hashedChunk(
  { ordinal, start, text, tokens, ...chunk }: Chunk,
  fingerprint: string,
): Promise<NewChunk> {
  const windows = chunk.windows.map(async (window): Promise<WindowRecord> => {
    return { ...window, hash: await hashText(fingerprint, text.slice(window.start, window.end)) }
  })
  const hash = await hashText(fingerprint, text)
  return { ordinal, content: text, start, tokens, hash, windows: await Promise.all(windows) }
}

/** The hash of a text: 128 bits of SHA-256, base64url. */
async function hashText(namespace: string, text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${namespace}\0${text}`))
  const binary = String.fromCharCode(...new Uint8Array(digest, 0, 16))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').slice(0, 22)
}

/**
 * Reads one item ahead: the source makes the next item while the caller uses the last one. Throws an error in place of
 * the item that failed. If the caller stops early, it closes the source.
 */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]()
  let next = toOutcome(iterator.next())
  try {
    for (;;) {
      const outcome = await next
      if ('error' in outcome) throw outcome.error
      if (outcome.value.done === true) return
      next = toOutcome(iterator.next())
      yield outcome.value.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** Never rejects: a rejection before the caller awaits it would be unhandled. */
async function toOutcome<T>(promise: Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}
