import { displayName, shownName } from '../documents/index.js'
import { TimeSlice } from '../kernel/time-slice.js'
import type { ChunkKey, LexicalQuery, VisibleChunk } from '../ports/index.js'
import { type FoundBy, type RankedChunk, toMapKey } from './known-chunks.js'
import { findDensestPassage, type Passage } from './passage.js'

/** A chunk that a search found. Specification: Search result; `score`, `match` and `source` are additions. */
export interface SearchResult {
  /** Id of the chunk. */
  readonly id: number
  /** Id of the chunk's document. */
  readonly docId: number
  /** The chunk's text, an exact slice of the document's text. */
  readonly content: string
  /** Cosine of prompt and chunk, limited to 0 to 1; the same whether words or meaning found the chunk. */
  readonly similarity: number
  /** The value that orders the results, 0 to 1. Comparable within one search, not between searches. */
  readonly score: number
  /** The part of `content` that matched: the part with most words of the prompt, or the window nearest in meaning. */
  readonly match: Passage
  readonly source: ResultSource
}

/** The origin of a result. */
export interface ResultSource {
  /** The document's `fileName`. */
  readonly uuid: string
  /** The document's file name at upload. */
  readonly originalName: string
  /** The document's name, safe to show: `report (1).pdf` for the second document with its name in the context. */
  readonly displayName: string
  /** Offset of the chunk in the document's text, in UTF-16 units. */
  readonly start: number
  /** Offset after the end of the chunk, in UTF-16 units. */
  readonly end: number
  /** The sides that found the chunk: one or both. */
  readonly foundBy: readonly FoundBy[]
}

/** A chunk that a search found, with the window that is nearest in meaning. */
export interface PlacedChunk extends RankedChunk {
  /** `undefined` if the window is not stored. */
  readonly nearest: Passage | undefined
}

/** A chunk that a search found, with the size of its text instead of the text. */
interface SizedChunk extends PlacedChunk {
  /** Size of the text in bytes of UTF-8. */
  readonly sizeBytes: number
}

/** Maximum size of the texts in memory while a slow client reads, in bytes: about one large chunk. */
const MAX_HELD_BYTES = 65_536

/**
 * Reads the texts of chunks when the consumer asks for them: at most 64 KiB at once, unless one text has more. Leaves
 * out chunks that are deleted by then.
 */
export async function* readResults(
  found: readonly SizedChunk[],
  terms: LexicalQuery,
  read: (keys: readonly ChunkKey[]) => Promise<readonly VisibleChunk[]>,
): AsyncGenerator<SearchResult> {
  for (const part of splitBySize(found)) yield* await toResults(part, terms, await read(part))
}

/** @returns results in the order of `ranked`, without chunks that have no record or whose text was not read */
export async function toResults(
  ranked: readonly PlacedChunk[],
  terms: LexicalQuery,
  records: readonly VisibleChunk[],
): Promise<SearchResult[]> {
  const recordByKey = new Map(records.map((record) => [toMapKey(record), record]))
  const slice = new TimeSlice()
  const results: SearchResult[] = []
  for (const chunk of ranked) {
    const record = recordByKey.get(toMapKey(chunk))
    if (record === undefined || record.content === null) continue
    const match = await findMatch(record.content, terms, chunk, slice)
    results.push(toResult(chunk, match, record, record.content))
  }
  return results
}

/** Adds to each chunk the size of its text. */
export function withSizes(ranked: readonly PlacedChunk[], records: readonly VisibleChunk[]): SizedChunk[] {
  const sizes = new Map(records.map((record) => [toMapKey(record), record.sizeBytes]))
  return ranked.map((chunk) => ({ ...chunk, sizeBytes: sizes.get(toMapKey(chunk)) ?? 0 }))
}

function toResult(chunk: PlacedChunk, match: Passage, record: VisibleChunk, content: string): SearchResult {
  const { similarity, score, foundBy } = chunk
  return {
    id: record.id,
    docId: record.documentId,
    content,
    similarity,
    score,
    match,
    source: {
      uuid: record.documentUuid,
      originalName: shownName(record.originalName),
      displayName: displayName(record.originalName, record.nameIndex),
      start: record.start,
      end: record.start + content.length,
      foundBy,
    },
  }
}

/**
 * Finds the part with most words of the prompt. If words did not find the chunk and the part has less than half of the
 * terms, the match is the window that is nearest in meaning.
 */
async function findMatch(
  content: string,
  terms: LexicalQuery,
  { foundBy, nearest }: PlacedChunk,
  slice: TimeSlice,
): Promise<Passage> {
  const densest = terms.size === 0 ? undefined : await findDensestPassage(content, terms, slice)
  const isByWords = densest !== undefined && (foundBy.includes('words') || densest.terms * 2 >= terms.size)
  if (isByWords) return { start: densest.start, end: densest.end }
  return nearest ?? { start: 0, end: content.length }
}

function* splitBySize(found: readonly SizedChunk[]): Generator<readonly SizedChunk[]> {
  let part: SizedChunk[] = []
  let bytes = 0
  for (const chunk of found) {
    if (part.length > 0 && bytes + chunk.sizeBytes > MAX_HELD_BYTES) {
      yield part
      part = []
      bytes = 0
    }
    part.push(chunk)
    bytes += chunk.sizeBytes
  }
  if (part.length > 0) yield part
}
