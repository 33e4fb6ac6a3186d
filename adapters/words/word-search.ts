import {
  bm25Maximum,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalQuery,
  type LexicalSearchOptions,
  type LexicalStatistics,
} from '../../src/ports/index.js'
import { BestHits } from './best-hits.js'
import { MANY_CHUNKS, type PostingSource } from './posting-source.js'
import { type CountedTerm, PostingSums } from './posting-sums.js'
import type { ScoredChunks } from './scored-chunks.js'
import { groupedSource, type WordGroups } from './word-groups.js'

/**
 * The share of a chunk's highest possible score that terms which tell little may have together. They have most of the
 * postings.
 */
const LITTLE_SHARE = 0.05

/** To look up a chunk among postings takes as long as to add up so many postings. */
const LOOK_UP_COST = 4
/** The most chunks that are looked up in place of an addition of all postings. */
const MAX_LOOKED_UP = 100_000

/** The number of postings of each term. */
type TermCounts = ReadonlyMap<string, number>

/** The statistics of a collection without chunks. */
export const NO_STATISTICS: LexicalStatistics = { chunks: 0, meanLength: 0, chunksWithTerm: new Map() }

/** The result of a search. */
export interface WordsFound extends Pick<Required<LexicalAnswer>, 'hits' | 'maximum' | 'idfs' | 'shortfall'> {
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
export async function readStatistics(
  ungrouped: PostingSource,
  terms: readonly string[],
  groups?: WordGroups,
): Promise<LexicalStatistics> {
  const source = groupedSource(ungrouped, groups)
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
  ungrouped: PostingSource,
  query: LexicalQuery,
  { limit, documents, tolerance = 0, statistics: given }: LexicalSearchOptions,
  groups?: WordGroups,
): Promise<WordsFound> {
  const source = groupedSource(ungrouped, groups)
  const { chunks } = source.totals
  const statistics = await readStatistics(source, [...query.keys()])
  const { chunksWithTerm: counts } = statistics
  const { meanLength } = given ?? statistics
  const idfs = idfsOf(query, given ?? statistics)
  const maximum = bm25Maximum(idfs)
  if (counts.size === 0)
    return { hits: [], maximum, idfs, shortfall: 0, scoresOf: async (_now, numbers) => numbers.map(() => 0) }
  const best = await BestHits.of(source, limit, documents)
  const sums = new PostingSums(source, idfs, meanLength)
  try {
    const { hits, shortfall } =
      chunks > MANY_CHUNKS
        ? await searchMany(sums, best, groupTerms(counts, idfs), { limit, tolerance })
        : await searchFew(sums, best, counts)
    return {
      hits,
      maximum,
      idfs,
      shortfall,
      scoresOf: async (now, numbers) => await sums.scoresOf(groupedSource(now, groups), numbers),
    }
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

/** The best chunks, and the most that the terms which were left out could add to the score of one. */
type Found = Required<Pick<LexicalAnswer, 'hits' | 'shortfall'>>

async function searchFew(sums: PostingSums, best: BestHits, counts: TermCounts): Promise<Found> {
  await sums.add(rarestFirst(counts))
  return { hits: await best.find(sums.chunks), shortfall: 0 }
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
  terms: readonly BoundedTerm[],
  { limit, end }: { readonly limit: number; readonly end: number },
): Promise<Found> {
  await sums.addTo(listed, terms.slice(0, end))
  const hits = await best.find(listed)
  if (end === terms.length || hits.length >= limit) return { hits, shortfall: sumOfBounds(terms.slice(end)) }
  await sums.addTo(listed, terms.slice(end))
  return { hits: await best.find(listed), shortfall: 0 }
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
): Promise<Found> {
  const terms = [...telling, ...others]
  const end = sumOfBounds(others) > tolerance * sumOfBounds(terms) ? terms.length : telling.length
  // Also for the scores of single chunks, which are exact.
  sums.useTerms(terms.map(({ term }) => term))
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
  if (at === terms.length) return { hits: await best.find(sums.chunks), shortfall: 0 }
  let candidates = sums.chunks.withScoreFrom(threshold - boundFrom(at))
  for (const [next, term] of terms.slice(at, end).entries()) {
    await sums.addTo(candidates, [term])
    threshold = Math.max(threshold, best.leastOf(candidates))
    candidates = candidates.withScoreFrom(threshold - boundFrom(at + next + 1))
  }
  const hits = await best.find(candidates)
  if (limit < 1 || (hits.length === limit && (hits.at(-1)?.score ?? 0) >= threshold)) {
    return { hits, shortfall: boundFrom(Math.max(at, end)) }
  }
  // Many of the best chunks are deleted, or the filter excludes their documents. The chunks that follow them are not
  // complete.
  await sums.add(terms.slice(at))
  return { hits: await best.find(sums.chunks), shortfall: 0 }
}
