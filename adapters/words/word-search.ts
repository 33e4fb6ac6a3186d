import {
  bm25Maximum,
  byLexicalScore,
  type DocumentFilter,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSearchOptions,
  type LexicalStatistics,
  passesOf,
} from '../../src/ports/index.js'
import type { NumberRange, PostingSource } from './posting-source.js'
import { type CountedTerm, PostingSums } from './posting-sums.js'
import { ScoredChunks } from './scored-chunks.js'

/** In a larger collection, terms that tell little are not added up for all chunks, and totals may be estimated. */
export const MANY_CHUNKS = 10_000
/**
 * The share of a chunk's highest possible score that terms which tell little may have together. They have most of the
 * postings.
 */
const LITTLE_SHARE = 0.05

/** The number of postings of each term. */
type TermCounts = ReadonlyMap<string, number>

/** The statistics of a collection without chunks. */
export const NO_STATISTICS: LexicalStatistics = { chunks: 0, meanLength: 0, chunksWithTerm: new Map() }

/** The result of a search. */
export interface WordsFound extends Pick<LexicalAnswer, 'hits' | 'maximum'> {
  /** Reads the scores of chunks by their numbers from the source as it is now; 0 for a chunk without a score. */
  readonly scoresOf: (source: PostingSource, numbers: readonly (number | undefined)[]) => Promise<readonly number[]>
}

/** The result of a search in a collection without chunks. */
export function nothingFound(
  query: LexicalQuery,
  { statistics = NO_STATISTICS }: Pick<LexicalSearchOptions, 'statistics'>,
): LexicalAnswer {
  const maximum = bm25Maximum(idfsOf(query, statistics))
  return { hits: [], maximum, scoresOf: async (chunks) => chunks.map(() => 0) }
}

/** Reads the statistics that a search for these terms uses. */
export async function readStatistics(source: PostingSource, terms: readonly string[]): Promise<LexicalStatistics> {
  const { chunks, deleted, meanLength } = source.totals
  const counted = terms.length === 0 ? [] : await source.count(terms)
  const chunksWithTerm = new Map<string, number>()
  for (const [at, term] of terms.entries()) if ((counted[at] ?? 0) > 0) chunksWithTerm.set(term, counted[at] ?? 0)
  // Deleted chunks count as chunks that have a term as long as their postings exist.
  return { chunks: chunks + deleted, meanLength, chunksWithTerm }
}

/**
 * Finds the chunks with the highest scores: adds up the postings of the terms. Among many chunks, frequent terms are
 * added only for chunks that may be hits. Terms that tell little are left out if the tolerance allows it. If a filter
 * lists few of many chunks, the terms are looked up for these chunks only.
 */
export async function searchWords(
  source: PostingSource,
  query: LexicalQuery,
  { limit, documents, tolerance = 0, statistics: given }: LexicalSearchOptions,
): Promise<WordsFound> {
  const { chunks } = source.totals
  const statistics = await readStatistics(source, [...query.keys()])
  const { chunksWithTerm: counts } = statistics
  const { meanLength } = given ?? statistics
  const idfs = idfsOf(query, given ?? statistics)
  const maximum = bm25Maximum(idfs)
  if (counts.size === 0) return { hits: [], maximum, scoresOf: async (_now, numbers) => numbers.map(() => 0) }
  const best = await BestHits.of(source, limit, documents)
  const sums = new PostingSums(source, idfs, meanLength)
  try {
    const hits =
      chunks > MANY_CHUNKS
        ? await searchMany(sums, best, groupTerms(counts, idfs), { limit, tolerance })
        : await searchFew(sums, best, counts)
    return { hits, maximum, scoresOf: async (now, numbers) => await sums.scoresOf(now, numbers) }
  } finally {
    sums.release()
  }
}

function idfsOf(query: LexicalQuery, { chunks, chunksWithTerm }: LexicalStatistics): Map<string, number> {
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) {
    idfs.set(term, weight * inverseDocumentFrequency(chunks, chunksWithTerm.get(term) ?? 0))
  }
  return idfs
}

/** The terms of a query, in two groups. */
interface TermGroups {
  /** Terms that give nearly all of a chunk's highest possible score, those that give most of it first. */
  readonly telling: readonly BoundedTerm[]
  /** Terms that many chunks have, and that add little to their scores. */
  readonly others: readonly BoundedTerm[]
}

interface BoundedTerm extends CountedTerm {
  /** The highest score that a chunk can get from the term. */
  readonly bound: number
}

function groupTerms(counts: TermCounts, idfs: ReadonlyMap<string, number>): TermGroups {
  const terms = rarestFirst(counts).map((term) => {
    return { ...term, bound: bm25Maximum(new Map([['', idfs.get(term.term) ?? 0]])) }
  })
  const little = sumOfBounds(terms) * LITTLE_SHARE
  const others = new Set<BoundedTerm>()
  let bound = 0
  for (const term of [...terms].sort((one, other) => one.bound - other.bound)) {
    bound += term.bound
    if (bound > little) break
    others.add(term)
  }
  const telling = terms.filter((term) => !others.has(term)).sort((one, other) => other.bound - one.bound)
  return { telling, others: terms.filter((term) => others.has(term)) }
}

function rarestFirst(counts: TermCounts): CountedTerm[] {
  return [...counts].map(([term, count]) => ({ term, count })).sort((one, other) => one.count - other.count)
}

/** The highest score that a chunk can get from terms. */
function sumOfBounds(terms: readonly BoundedTerm[]): number {
  return terms.reduce((sum, { bound }) => sum + bound, 0)
}

async function searchFew(sums: PostingSums, best: BestHits, counts: TermCounts): Promise<LexicalHit[]> {
  await sums.add(rarestFirst(counts))
  return await best.find(sums.chunks)
}

/** The number of chunks whose terms are looked up in the time in which the postings of the terms are added up. */
function mostLookUps(terms: readonly CountedTerm[]): number {
  const postings = terms.reduce((sum, { count }) => sum + count, 0)
  return Math.min(MAX_LOOKED_UP, Math.floor(postings / (LOOK_UP_COST * terms.length)))
}

/**
 * Looks up terms for the chunks that a filter lists, and for no others.
 * @param end terms from this index on are looked up only if the terms before it find too few chunks
 */
async function searchListed(
  sums: PostingSums,
  best: BestHits,
  listed: ScoredChunks,
  terms: readonly CountedTerm[],
  { limit, end }: { readonly limit: number; readonly end: number },
): Promise<LexicalHit[]> {
  await sums.addTo(listed, terms.slice(0, end))
  const hits = await best.find(listed)
  if (end === terms.length || hits.length >= limit) return hits
  await sums.addTo(listed, terms.slice(end))
  return await best.find(listed)
}

/**
 * Adds the most telling terms first, and stops once the best chunks have more than the remaining terms can give. Then only
 * chunks that already have part of their score can become the best. The remaining terms are looked up for these chunks
 * only. Source: MaxScore, Turtle and Flood 1995, "Query Evaluation: Strategies and Optimizations".
 */
async function searchMany(
  sums: PostingSums,
  best: BestHits,
  { telling, others }: TermGroups,
  { limit, tolerance }: { readonly limit: number; readonly tolerance: number },
): Promise<LexicalHit[]> {
  const terms = [...telling, ...others]
  const end = sumOfBounds(others) > tolerance * sumOfBounds(terms) ? terms.length : telling.length
  const listed = best.listedChunks(mostLookUps(telling))
  if (listed !== undefined) return await searchListed(sums, best, listed, terms, { limit, end })
  const boundFrom = (from: number): number => sumOfBounds(terms.slice(from))
  // No threshold is above the bound of the terms that were added.
  const canStop = (from: number): boolean => boundFrom(from) < boundFrom(0) - boundFrom(from)
  let [at, threshold] = [0, 0]
  while (at < terms.length && threshold <= boundFrom(at)) {
    let needed = at + 1
    while (needed < terms.length && !canStop(needed)) needed += 1
    at += await sums.addNext(terms.slice(at), needed - at)
    if (at < terms.length && canStop(at)) threshold = best.leastOf(sums.chunks)
  }
  if (at === terms.length) return await best.find(sums.chunks)
  let candidates = sums.chunks.withScoreFrom(threshold - boundFrom(at))
  for (const [next, term] of terms.slice(at, end).entries()) {
    await sums.addTo(candidates, [term])
    threshold = Math.max(threshold, best.leastOf(candidates))
    candidates = candidates.withScoreFrom(threshold - boundFrom(at + next + 1))
  }
  const hits = await best.find(candidates)
  if (limit < 1 || (hits.length === limit && (hits.at(-1)?.score ?? 0) >= threshold)) return hits
  // Many of the best chunks are deleted, or the filter excludes their documents. The chunks that follow them are not
  // complete.
  await sums.add(terms.slice(at))
  return await best.find(sums.chunks)
}

/** The number of hits that are looked up beyond the limit: some may be deleted. */
const SPARE_HITS = 20
/**
 * The number of candidates with the score of the last hit that are looked up. If there are more, those with the lowest
 * numbers become hits.
 */
const MAX_TIES = 2_000
/** After this many look-ups, the search reads the numbers of all chunks that exist and pass the filter. */
const MAX_LOOKUPS = 3
/** The numbers of the chunks of more documents are not read before the search: looking up more candidates is faster. */
const MAX_LISTED = 2_000
/** To look up a chunk among postings takes as long as to add up so many postings. */
const LOOK_UP_COST = 4
/** The most chunks that are looked up in place of an addition of all postings. */
const MAX_LOOKED_UP = 100_000
/** The number of documents of a longer list whose chunks are counted, to estimate the share of chunks that pass. */
const SAMPLED_DOCUMENTS = 100
/** Reserve of the candidates of a search with a longer list: the chunks that pass are not spread evenly. */
const CANDIDATES_RESERVE = 1.5
/** The least candidates of a search with a longer list, for each hit: the estimate may be too low. */
const MIN_CANDIDATES_PER_HIT = 2
/** The most candidates of such a search for few hits, and for each of many hits. More would block the event loop. */
const MAX_CANDIDATES = 4_000
const MAX_CANDIDATES_PER_HIT = 4

/** Finds the chunks with the highest sums that are not deleted and pass a filter. */
class BestHits {
  readonly #source: PostingSource
  readonly #limit: number
  /** The number of candidates of the first look-up. */
  readonly #candidateCount: number
  readonly #filter: DocumentFilter
  readonly #passes: (documentId: number) => boolean
  #ranges: readonly NumberRange[] | undefined

  static async of(source: PostingSource, limit: number, filter: DocumentFilter | undefined): Promise<BestHits> {
    if (filter === undefined || 'except' in filter) return new BestHits(source, limit, filter, limit + SPARE_HITS)
    if (filter.only.length > MAX_LISTED) {
      const wanted = limit + SPARE_HITS
      const share = await estimateShare(source, filter.only)
      const count = Math.ceil(wanted * Math.max(MIN_CANDIDATES_PER_HIT, CANDIDATES_RESERVE / share))
      const most = Math.max(MAX_CANDIDATES, wanted * MAX_CANDIDATES_PER_HIT)
      return new BestHits(source, limit, filter, Math.min(count, most))
    }
    return new BestHits(source, limit, filter, limit + SPARE_HITS, await source.rangesOf(filter))
  }

  private constructor(
    source: PostingSource,
    limit: number,
    filter: DocumentFilter | undefined,
    candidateCount: number,
    ranges?: readonly NumberRange[],
  ) {
    this.#source = source
    this.#limit = limit
    this.#candidateCount = candidateCount
    this.#filter = filter ?? { except: [] }
    this.#passes = passesOf(filter)
    this.#ranges = ranges
  }

  /**
   * Makes the chunks that the filter lists, with the score 0.
   * @returns `undefined` if they are more than `most`, or not known
   */
  listedChunks(most: number): ScoredChunks | undefined {
    const ranges = this.#ranges
    if (ranges === undefined) return undefined
    const count = countNumbers(ranges)
    if (count > most) return undefined
    const numbers = new Uint32Array(count)
    let at = 0
    for (const { first, end } of ranges) for (let number = first; number < end; number += 1) numbers[at++] = number
    return ScoredChunks.of(numbers)
  }

  /** The score that a chunk needs to be looked up; 0 if any score is enough. */
  leastOf(scored: ScoredChunks): number {
    return scored.best(this.#candidateCount, undefined, this.#ranges)[this.#candidateCount - 1]?.score ?? 0
  }

  /** Finds the hits, best first. */
  async find(scored: ScoredChunks): Promise<LexicalHit[]> {
    if (this.#limit < 1) return []
    const hits: LexicalHit[] = []
    let count = this.#candidateCount
    let best = scored.best(count, undefined, this.#ranges)
    const leastHit = best[this.#limit - 1]?.score
    if (best.length === count && leastHit !== undefined && leastHit === best.at(-1)?.score) {
      // All chunks with the score of the last hit are looked up at once, and one more: it shows that there are no others.
      count = Math.max(count, Math.min(scored.countFrom(leastHit), this.#limit + MAX_TIES) + 1)
      best = scored.best(count, undefined, this.#ranges)
    }
    for (let lookup = 1; ; lookup += 1) {
      const chunks = await this.#source.chunksOf(best.map(({ number }) => number))
      for (const { number, score } of best) {
        const chunk = chunks.get(number)
        if (chunk !== undefined && this.#passes(chunk.documentId)) hits.push({ ...chunk, score })
      }
      if (best.length < count || (hits.length >= this.#limit && !canTie(hits, this.#limit, best.at(-1)?.score ?? 0)))
        break
      if (lookup >= MAX_LOOKUPS) this.#ranges ??= await this.#source.rangesOf(this.#filter)
      count *= 2
      best = scored.best(count, best.at(-1), this.#ranges)
    }
    return hits.sort(byLexicalScore).slice(0, this.#limit)
  }
}

/** Estimates the share of the chunks that belong to some documents. @returns more than 0, and at most 1 */
async function estimateShare(source: PostingSource, documents: readonly number[]): Promise<number> {
  const step = documents.length / SAMPLED_DOCUMENTS
  const sample = Array.from({ length: SAMPLED_DOCUMENTS }, (_, at) => documents[Math.floor(at * step)] ?? 0)
  const chunks = countNumbers(await source.rangesOf({ only: sample }))
  return Math.min(1, (Math.max(1, chunks) * step) / Math.max(1, source.totals.chunks))
}

function countNumbers(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0)
}

/**
 * True if chunks that are not looked up yet may have the score of the last hit. Among equal scores, the oldest document
 * comes first.
 */
function canTie(hits: readonly LexicalHit[], limit: number, leastLookedUp: number): boolean {
  return hits.length < limit + MAX_TIES && hits[limit - 1]?.score === leastLookedUp
}
