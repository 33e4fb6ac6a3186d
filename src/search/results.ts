import { analyze, type Term, textParts } from '../analysis/index.js'
import { type PageRange, pagesOf } from '../documents/index.js'
import { TimeSlice } from '../kernel/scheduling/time-slice.js'
import {
  type DocumentMetadata,
  displayNameOf,
  type LexicalQuery,
  type SimilarTerms,
  type VectorKey,
  type VisibleChunk,
  type WindowRecord,
} from '../ports/index.js'
import type { Principal } from '../tenancy/index.js'
import { type FoundBy, type RankedChunk, toMapKey } from './ranking/near-chunks.js'
import type { ReadableChunks } from './searchable-documents.js'

/** The terms of a prompt, and those of the context that counted as them. One search makes it for all of its results. */
export class PromptTerms {
  readonly #promptTermByTerm: ReadonlyMap<string, string>

  constructor(
    readonly weights: LexicalQuery,
    private readonly similar: ReadonlyMap<string, SimilarTerms>,
  ) {
    const best = new Map<string, { readonly term: string; readonly weight: number }>()
    for (const [term, { terms }] of similar) {
      for (const [other, weight] of terms)
        if (weight > (best.get(other)?.weight ?? 0)) best.set(other, { term, weight })
    }
    for (const term of weights.keys()) best.set(term, { term, weight: 1 })
    this.#promptTermByTerm = new Map([...best].map(([other, { term }]) => [other, term]))
  }

  /** @returns the term of the prompt that a term of a text counts as: the one that it is most like */
  termFor(term: string): string | undefined {
    return this.#promptTermByTerm.get(term)
  }

  /** True if the context does not have a term of the prompt, so that others count for it. */
  isCorrected(promptTerm: string): boolean {
    return this.similar.get(promptTerm)?.isKnown === false
  }
}

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
}

/** A word of a prompt that was taken for another one. Both are in the form in which words are compared. */
export interface Correction {
  readonly from: string
  readonly to: string
}

/** A part of a chunk's text, in UTF-16 units: `content.slice(start, end)`. */
export interface Passage {
  /** Offset of the first unit. */
  readonly start: number
  /** Offset after the last unit. */
  readonly end: number
}

/** A chunk that a search found, with the window that is nearest in meaning. */
export interface PlacedChunk extends RankedChunk {
  /** `undefined` if the window is not stored. */
  readonly nearest: Passage | undefined
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
    const { match, corrected } = await findMatch(record.content, terms, chunk, slice)
    results.push(toResult(chunk, match, corrected, record, record.content))
  }
  return results
}

/**
 * Finds the part with most words of the prompt. If words did not find the chunk and the part has less than half of the
 * terms, the match is the window that is nearest in meaning.
 */
async function findMatch(
  content: string,
  terms: PromptTerms,
  { foundBy, nearest }: PlacedChunk,
  slice: TimeSlice,
): Promise<{ readonly match: Passage; readonly corrected: readonly Correction[] }> {
  const { size } = terms.weights
  const densest = size === 0 ? undefined : await findDensestPassage(content, terms, slice)
  const isByWords = densest !== undefined && (foundBy.includes('words') || densest.terms * 2 >= size)
  const match = isByWords ? { start: densest.start, end: densest.end } : (nearest ?? { start: 0, end: content.length })
  return { match, corrected: densest?.corrected ?? [] }
}

function toResult(
  chunk: PlacedChunk,
  match: Passage,
  corrected: readonly Correction[],
  record: VisibleChunk,
  content: string,
): SearchResult {
  const { similarity, score, foundBy } = chunk
  return {
    id: record.id,
    docId: record.documentPublicId,
    content,
    similarity,
    score,
    match,
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
    },
  }
}

/** Adds to each chunk the passage of its nearest window. */
export function withPassages(
  ranked: readonly RankedChunk[],
  windows: readonly (VectorKey & WindowRecord)[],
): PlacedChunk[] {
  const passages = new Map(
    windows.map(({ documentId, chunk, window, start, end }) => [`${documentId}:${chunk}:${window}`, { start, end }]),
  )
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

/** A passage with words of a question. */
interface WordPassage extends Passage {
  /** Number of different terms of the question in the passage. */
  readonly terms: number
  /** Words of the question that the collection does not have, with the words of the text that count for them. */
  readonly corrected: readonly Correction[]
}

/** Maximum difference of two sums of the same numbers, because of rounding. */
const ROUNDING_ERROR = 1e-9
/** Maximum length of a passage in UTF-16 units, unless one term is longer: some lines of text. */
const MAX_LENGTH = 320

/**
 * Finds the part of a text that has most of a question's terms. Each term counts once; terms that are rare in the text
 * count more. It prefers the shortest of equal parts, then the first. The part begins and ends with a term. Works in
 * slices of some milliseconds, between which other work of the event loop can run.
 *
 * @returns `undefined` if the text has none of the terms
 */
export async function findDensestPassage(
  text: string,
  prompt: PromptTerms,
  slice: TimeSlice = new TimeSlice(),
): Promise<WordPassage | undefined> {
  const terms: Term[] = []
  const corrected = new Map<string, string>()
  for (const part of textParts(text)) {
    for (const { term, start, end } of analyze(part.text)) {
      const counted = prompt.termFor(term)
      if (counted === undefined) continue
      terms.push({ term: counted, start: part.start + start, end: part.start + end })
      if (prompt.isCorrected(counted)) corrected.set(counted, term)
    }
    await slice.pauseIfOver()
  }
  const densest = selectDensest(terms, prompt.weights)
  return densest && { ...densest, corrected: [...corrected].map(([from, to]) => ({ from, to })) }
}

/** @param terms the terms of the question in the text, in the order of their starts */
function selectDensest(terms: readonly Term[], query: LexicalQuery): Omit<WordPassage, 'corrected'> | undefined {
  const occurrences = new Map<string, number>()
  for (const { term } of terms) occurrences.set(term, (occurrences.get(term) ?? 0) + 1)
  const worthOf = (term: string): number => (query.get(term) ?? 0) / (occurrences.get(term) ?? 1)
  let best: WeightedPassage | undefined
  const inside = new Map<string, number>()
  let worth = 0
  let first = 0
  for (const [last, { term, end }] of terms.entries()) {
    if (changeCount(inside, term, 1) === 1) worth += worthOf(term)
    while (first < last && (end - startAt(terms, first) > MAX_LENGTH || isRepeated(terms[first], inside))) {
      const removed = terms[first]?.term ?? ''
      if (changeCount(inside, removed, -1) === 0) worth -= worthOf(removed)
      first += 1
    }
    // Finding the end of a passage costs time, so only passages that may be the best get there.
    if (best !== undefined && worth < best.worth - ROUNDING_ERROR) continue
    const [start, lastEnd] = [startAt(terms, first), lastEndOf(terms, first, last)]
    const passage = { start, end: lastEnd, terms: inside.size, worth }
    if (best === undefined || isBetter(passage, best)) best = passage
  }
  return best && { start: best.start, end: best.end, terms: best.terms }
}

interface WeightedPassage extends Omit<WordPassage, 'corrected'> {
  /** Sum over its different terms: the weight of the term divided by its number of occurrences in the text. */
  readonly worth: number
}

/** True if the passage has the term a second time: then its first occurrence adds only length. */
function isRepeated(term: Term | undefined, inside: ReadonlyMap<string, number>): boolean {
  return term !== undefined && (inside.get(term.term) ?? 0) > 1
}

function isBetter(one: WeightedPassage, other: WeightedPassage): boolean {
  const difference = one.worth - other.worth
  if (Math.abs(difference) > ROUNDING_ERROR) return difference > 0
  return one.end - one.start < other.end - other.start
}

function startAt(terms: readonly Term[], index: number): number {
  return terms[index]?.start ?? 0
}

/** An identifier ends behind its parts, although the parts come after it in the list. */
function lastEndOf(terms: readonly Term[], first: number, last: number): number {
  let end = 0
  for (let index = first; index <= last; index += 1) end = Math.max(end, terms[index]?.end ?? 0)
  return end
}

/** @returns the new count */
function changeCount(counts: Map<string, number>, term: string, change: number): number {
  const count = (counts.get(term) ?? 0) + change
  if (count === 0) counts.delete(term)
  else counts.set(term, count)
  return count
}
