import { displayName, shownName } from '../documents/index.js'
import { TimeSlice } from '../kernel/time-slice.js'
import type { ChunkKey, LexicalQuery, VisibleChunk } from '../ports/index.js'
import { type FoundBy, nameOf, type RankedChunk } from './known-chunks.js'
import { densestPassage, type Passage } from './passage.js'

/** A chunk that was found (specification, Search result), and what is known of it beyond. */
export interface SearchResult {
  /** Id of the chunk. */
  readonly id: number
  /** Id of its document. */
  readonly docId: number
  /** The chunk's text, a verbatim slice of the document's. */
  readonly content: string
  /** Cosine similarity of prompt and chunk, 0 to 1, whether words or meaning found it. */
  readonly similarity: number
  /** By which results are ordered, 0 to 1: comparable within one search, not between searches. */
  readonly score: number
  /** Which part of `content` matched: the densest words of the prompt, or the window nearest in meaning. */
  readonly match: Passage
  readonly source: ResultSource
}

/** Where a result comes from. */
export interface ResultSource {
  /** The document's `fileName`. */
  readonly uuid: string
  readonly originalName: string
  readonly displayName: string
  /** Where the chunk is in the document's text, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Which side found it, one or both. */
  readonly foundBy: readonly FoundBy[]
}

/** A chunk that was found, with the part of it that is nearest in meaning. */
export interface PlacedChunk extends RankedChunk {
  readonly nearest: Passage | undefined
}

/** A chunk that was found, without its text. */
interface SizedChunk extends PlacedChunk {
  /** Size of its text in UTF-8. */
  readonly sizeBytes: number
}

/** Texts held for a reader who may be slow: about one chunk of those that are large. */
const BYTES_AT_ONCE = 65_536

/**
 * Reads the texts of chunks as they are asked for, at most 64 kB at once unless one has more. A chunk that is gone
 * by then is left out.
 */
export async function* readResults(
  found: readonly SizedChunk[],
  terms: LexicalQuery,
  read: (keys: readonly ChunkKey[]) => Promise<readonly VisibleChunk[]>,
): AsyncGenerator<SearchResult> {
  for (const part of partsOf(found)) yield* await toResults(part, terms, await read(part))
}

/** Results in the order of `ranked`. Chunks without a record, or whose text was not read, are left out. */
export async function toResults(
  ranked: readonly PlacedChunk[],
  terms: LexicalQuery,
  records: readonly VisibleChunk[],
): Promise<SearchResult[]> {
  const byName = new Map(records.map((record) => [nameOf(record), record]))
  const slice = new TimeSlice()
  const results: SearchResult[] = []
  for (const chunk of ranked) {
    const record = byName.get(nameOf(chunk))
    if (record === undefined || record.content === null) continue
    const match = await matchOf(record.content, terms, chunk, slice)
    results.push(toResult(chunk, match, record, record.content))
  }
  return results
}

/** Chunks in their order, with the sizes of their texts. */
export function toSizes(ranked: readonly PlacedChunk[], records: readonly VisibleChunk[]): SizedChunk[] {
  const sizes = new Map(records.map((record) => [nameOf(record), record.sizeBytes]))
  return ranked.map((chunk) => ({ ...chunk, sizeBytes: sizes.get(nameOf(chunk)) ?? 0 }))
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

/** The densest words, unless they did not find the chunk and are few: then the window that is nearest in meaning. */
async function matchOf(
  content: string,
  terms: LexicalQuery,
  { foundBy, nearest }: PlacedChunk,
  slice: TimeSlice,
): Promise<Passage> {
  const densest = terms.size === 0 ? undefined : await densestPassage(content, terms, slice)
  const isByWords = densest !== undefined && (foundBy.includes('words') || densest.terms * 2 >= terms.size)
  if (isByWords) return { start: densest.start, end: densest.end }
  return nearest ?? { start: 0, end: content.length }
}

function* partsOf(found: readonly SizedChunk[]): Generator<readonly SizedChunk[]> {
  let part: SizedChunk[] = []
  let bytes = 0
  for (const chunk of found) {
    if (part.length > 0 && bytes + chunk.sizeBytes > BYTES_AT_ONCE) {
      yield part
      part = []
      bytes = 0
    }
    part.push(chunk)
    bytes += chunk.sizeBytes
  }
  if (part.length > 0) yield part
}
