import { termsOf, textParts } from '../../analysis/index.js'
import { TimeSlice } from '../../kernel/time-slice.js'
import type { ExtractedPiece, NewChunk, Tokenizer, WindowRecord } from '../../ports/index.js'
import { splitText } from '../chunking/chunk-text.js'
import { type Chunk, Chunker, type ChunkerOptions } from '../chunking/chunker.js'

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
    for (const text of splitText(piece.text)) {
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

/** The terms of a chunk's text, made in slices: a chunk may have 8,192 tokens and half a million characters. */
export async function chunkTerms(text: string, slice: TimeSlice): Promise<string[]> {
  const terms: string[] = []
  for (const part of textParts(text)) {
    for (const term of termsOf(part.text)) terms.push(term)
    await slice.breathe()
  }
  return terms
}

/** A chunk with the hashes that name it and its windows under a model. */
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

/** Names a text under a model: 128 bits of SHA-256, base64url. */
async function hashText(namespace: string, text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${namespace}\0${text}`))
  const binary = String.fromCharCode(...new Uint8Array(digest, 0, 16))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').slice(0, 22)
}

/**
 * Keeps one item ahead: the next is being made while the last one is used.
 * Errors come where the item would have come; an early end ends the source.
 */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]()
  let next = settle(iterator.next())
  try {
    for (;;) {
      const result = await next
      if ('error' in result) throw result.error
      if (result.value.done === true) return
      next = settle(iterator.next())
      yield result.value.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

type Settled<T> = { readonly value: T } | { readonly error: unknown }

/** A promise that never rejects: nobody may be waiting when it does. */
async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}
