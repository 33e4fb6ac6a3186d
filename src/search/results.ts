import { type PageRange, pagesOf, wholeSentences } from '../documents/index.js'
import { TimeSlice } from '../kernel/scheduling/time-slice.js'
import {
  type DocumentMetadata,
  displayNameOf,
  type VectorKey,
  type VisibleChunk,
  type WindowRecord,
} from '../ports/index.js'
import type { Principal } from '../tenancy/index.js'
import { type Correction, densestPassage, type Passage } from './densest-passage.js'
import type { PromptTerms } from './prompt-terms.js'
import { type FoundBy, type RankedChunk, toMapKey } from './ranking/near-chunks.js'
import type { Collapsed } from './ranking/repeats.js'
import type { ReadableChunks } from './searchable-documents.js'
import { snippetOf } from './snippet.js'
import { findWords, type WordsInText } from './words-in-text.js'

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
  /** The value that orders the results, 0 to 1; with a reranker its score. Comparable within one search only. */
  readonly score: number
  /**
   * The part of `content` that matched, in whole sentences and rows: the part with most words of the prompt, or the window
   * nearest in meaning.
   */
  readonly match: Passage
  /** The match in one line of at most 320 UTF-16 units, for lists. Below the names of the columns, if it is of a table. */
  readonly snippet: string
  readonly source: ResultSource
}

/** The origin of a result. */
export interface ResultSource {
  /** The document's `fileName`. */
  readonly uuid: string
  /** The document's file name at upload. */
  readonly originalName: string
  /**
   * The name that a user gave the document. Default: its file name, safe to show: `report (1).pdf` for the second
   * document with its name in the context.
   */
  readonly displayName: string
  /** Offset of the chunk in the document's text, in UTF-16 units. */
  readonly start: number
  /** Offset after the end of the chunk, in UTF-16 units. */
  readonly end: number
  /** The pages, sheets or slides that the chunk touches; null if the format has none. */
  readonly pages: PageRange | null
  /** The headings above the beginning of the chunk, the outermost first; empty if none are known. */
  readonly headings: readonly string[]
  /** The document's metadata. */
  readonly metadata: DocumentMetadata
  /** The sides that found the chunk: one or both. */
  readonly foundBy: readonly FoundBy[]
  /**
   * Words of the prompt that the context does not have, each with the word of the chunk that counted for it. Absent if
   * there are none.
   */
  readonly corrected?: readonly Correction[]
  /**
   * Number of further chunks with the same text that the search found and left out: copies, or neighbours that overlap.
   * Absent if there are none.
   */
  readonly collapsed?: number
}

/** A chunk that a search found, with the window that is nearest in meaning. */
export interface PlacedChunk extends RankedChunk, Collapsed {
  /** `undefined` if the window is not stored. */
  readonly nearest: Pick<WindowRecord, 'start' | 'end' | 'hash'> | undefined
  /** The terms of the question that found it, if that is not the part of the prompt that decides. */
  readonly terms?: PromptTerms
  /** The words of the prompt in its text, if the search has looked for them. */
  readonly found?: WordsInText
}

/** A chunk that a search found, with the size of its text instead of the text. */
export interface SizedChunk extends PlacedChunk {
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
  terms: PromptTerms,
  readable: ReadableChunks,
  { caller, contextId }: { readonly caller: Principal; readonly contextId: number },
): AsyncGenerator<SearchResult> {
  for (const part of splitBySize(found)) {
    yield* await toResults(part, terms, await readable.read(caller, contextId, part))
  }
}

/** Splits chunks into parts with at most 64 KiB of text, unless one text has more. */
export function* splitBySize<Chunk extends SizedChunk>(found: readonly Chunk[]): Generator<readonly Chunk[]> {
  let part: Chunk[] = []
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

/**
 * @param slice the time slice of the caller's work
 * @returns results in the order of `ranked`, without chunks that have no record or whose text was not read
 */
export async function toResults(
  ranked: readonly PlacedChunk[],
  terms: PromptTerms,
  records: readonly VisibleChunk[],
  slice: TimeSlice = new TimeSlice(),
): Promise<SearchResult[]> {
  const recordByKey = new Map(records.map((record) => [toMapKey(record), record]))
  const results: SearchResult[] = []
  for (const chunk of ranked) {
    const record = recordByKey.get(toMapKey(chunk))
    if (record === undefined || record.content === null) continue
    results.push(
      toResult(chunk, record, record.content, await findMatch(record.content, chunk.terms ?? terms, chunk, slice)),
    )
  }
  return results
}

/** The part of a chunk that matched. */
interface Match {
  /** Whole sentences and rows. */
  readonly match: Passage
  /** The part of them that matched best. */
  readonly core: Passage
  readonly corrected: readonly Correction[]
}

/**
 * Finds the sentences with most words of the prompt. The match is the window that is nearest in meaning if
 * these words tell nothing. So it is if words did not find the chunk and the sentences have less than half of the telling terms.
 */
export async function findMatch(
  content: string,
  terms: PromptTerms,
  { foundBy, nearest, found }: PlacedChunk,
  slice: TimeSlice,
): Promise<Match> {
  const { size } = terms.weights
  const densest = size === 0 ? undefined : densestPassage(found ?? (await findWords(content, terms, slice)), terms)
  const isByWords = densest?.tells === true && (foundBy.includes('words') || densest.share >= 0.5)
  const core = (isByWords ? densest : (nearest ?? densest)) ?? { start: 0, end: content.length }
  return { match: wholeSentences(content, core), core, corrected: densest?.corrected ?? [] }
}

function toResult(
  chunk: PlacedChunk,
  record: VisibleChunk,
  content: string,
  { match, core, corrected }: Match,
): SearchResult {
  const { similarity, score, foundBy, collapsed } = chunk
  return {
    id: record.id,
    docId: record.documentPublicId,
    content,
    similarity,
    score,
    match,
    snippet: snippetOf({ content, match, core, headings: record.headings }),
    source: {
      uuid: record.documentUuid,
      originalName: record.originalName,
      displayName: displayNameOf(record),
      start: record.start,
      end: record.start + content.length,
      pages: pagesOf(record),
      headings: record.headings,
      metadata: record.metadata,
      foundBy,
      ...(corrected.length > 0 && { corrected }),
      ...(collapsed !== undefined && { collapsed }),
    },
  }
}

/** Adds to each chunk the passage of its nearest window. */
export function withPassages(
  ranked: readonly RankedChunk[],
  windows: readonly (VectorKey & WindowRecord)[],
): PlacedChunk[] {
  const passages = new Map(windows.map((window) => [`${window.documentId}:${window.chunk}:${window.window}`, window]))
  return ranked.map((chunk) => {
    const { documentId, ordinal, window } = chunk
    return { ...chunk, nearest: passages.get(`${documentId}:${ordinal}:${window}`) }
  })
}

/** Adds to each chunk the size of its text. */
export function withSizes(ranked: readonly PlacedChunk[], records: readonly VisibleChunk[]): SizedChunk[] {
  const sizes = new Map(records.map((record) => [toMapKey(record), record.sizeBytes]))
  return ranked.map((chunk) => ({ ...chunk, sizeBytes: sizes.get(toMapKey(chunk)) ?? 0 }))
}
