import {
  bm25Maximum,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSearchOptions,
} from '../../src/ports/index.js'
import { BestHits } from './best-hits.js'
import type { PostingSource } from './posting-source.js'
import { type CountedTerm, PostingSums } from './posting-sums.js'

/** Where there are more chunks, terms that tell little are not added up for all of them, and totals may be estimated. */
export const MANY_CHUNKS = 10_000
/** What these terms may earn together, of what a chunk can earn by the terms that there are. They have most of the postings. */
const LITTLE_SHARE = 0.05

/** Terms with the number of their postings. */
type TermCounts = ReadonlyMap<string, number>

/** What a search found. */
export interface WordsFound extends Pick<LexicalAnswer, 'hits' | 'maximum'> {
  /** The scores of chunks by their numbers, read from the source as it is now; 0 for one that has none. */
  readonly scoresOf: (source: PostingSource, numbers: readonly (number | undefined)[]) => Promise<readonly number[]>
}

/** What a search finds in a collection that has no chunks. */
export function nothingFound(query: LexicalQuery): LexicalAnswer {
  const maximum = bm25Maximum(idfsOf(query, new Map(), 0))
  return { hits: [], maximum, scoresOf: async (chunks) => chunks.map(() => 0) }
}

/**
 * Finds the chunks with the highest scores: adds up the postings of the terms. Among many chunks, frequent terms are added
 * only for chunks that may be among the hits, and terms that tell little not at all where the tolerance allows it.
 */
export async function searchWords(
  source: PostingSource,
  query: LexicalQuery,
  { limit, documents, tolerance = 0 }: LexicalSearchOptions,
): Promise<WordsFound> {
  const { chunks, deleted } = source.totals
  const asked = [...query.keys()]
  const counted = await source.count(asked)
  const counts = new Map(asked.flatMap((term, at) => ((counted[at] ?? 0) > 0 ? [[term, counted[at] ?? 0]] : [])))
  // Deleted chunks count among those that have a term as long as their postings are there.
  const idfs = idfsOf(query, counts, chunks + deleted)
  const maximum = bm25Maximum(idfs)
  if (counts.size === 0) return { hits: [], maximum, scoresOf: async (_now, numbers) => numbers.map(() => 0) }
  const best = await BestHits.of(source, limit, documents)
  const added = new PostingSums(source, idfs)
  try {
    const hits =
      chunks > MANY_CHUNKS
        ? await amongMany(added, best, divide(counts, idfs), { limit, tolerance })
        : await amongFew(added, best, counts)
    return { hits, maximum, scoresOf: async (now, numbers) => await added.scoresOf(now, numbers) }
  } finally {
    added.release()
  }
}

function idfsOf(query: LexicalQuery, counts: TermCounts, chunks: number): Map<string, number> {
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) {
    idfs.set(term, weight * inverseDocumentFrequency(chunks, counts.get(term) ?? 0))
  }
  return idfs
}

/** The terms of a question, parted. */
interface Divided {
  /** These earn nearly all of what a chunk can earn. */
  readonly telling: readonly EarningTerm[]
  /** Many chunks have these, and earn little by them. */
  readonly others: readonly EarningTerm[]
}

interface EarningTerm extends CountedTerm {
  /** The most that a chunk can earn by it. */
  readonly bound: number
}

function divide(counts: TermCounts, idfs: ReadonlyMap<string, number>): Divided {
  const terms = rarestFirst(counts).map((term) => {
    return { ...term, bound: bm25Maximum(new Map([['', idfs.get(term.term) ?? 0]])) }
  })
  const little = boundOf(terms) * LITTLE_SHARE
  const others = new Set<EarningTerm>()
  let bound = 0
  for (const term of [...terms].sort((one, other) => one.bound - other.bound)) {
    bound += term.bound
    if (bound > little) break
    others.add(term)
  }
  return { telling: terms.filter((term) => !others.has(term)), others: terms.filter((term) => others.has(term)) }
}

function rarestFirst(counts: TermCounts): CountedTerm[] {
  return [...counts].map(([term, count]) => ({ term, count })).sort((one, other) => one.count - other.count)
}

/** The most that a chunk can earn by terms. */
function boundOf(terms: readonly EarningTerm[]): number {
  return terms.reduce((sum, { bound }) => sum + bound, 0)
}

async function amongFew(added: PostingSums, best: BestHits, counts: TermCounts): Promise<LexicalHit[]> {
  await added.add(rarestFirst(counts))
  return await best.find(added.all)
}

/**
 * Adds the rarest terms first. Once the best have more than a chunk can earn by the terms that are left, only those that
 * have some of it already can come to be among the best: the other terms are looked up for these alone. That is MaxScore,
 * of Turtle and Flood 1995, "Query Evaluation: Strategies and Optimizations".
 */
async function amongMany(
  added: PostingSums,
  best: BestHits,
  { telling, others }: Divided,
  { limit, tolerance }: { readonly limit: number; readonly tolerance: number },
): Promise<LexicalHit[]> {
  const terms = [...telling, ...others]
  const left = (from: number): number => boundOf(terms.slice(from))
  let [at, enough] = [0, 0]
  while (at < terms.length && enough <= left(at)) {
    at += await added.addSome(terms.slice(at))
    if (at < terms.length && left(at) < left(0) - left(at)) enough = best.leastOf(added.all)
  }
  if (at === terms.length) return await best.find(added.all)
  let candidates = added.all.from(enough - left(at))
  const end = boundOf(others) > tolerance * left(0) ? terms.length : telling.length
  for (const [next, term] of terms.slice(at, end).entries()) {
    await added.addTo(candidates, term)
    enough = Math.max(enough, best.leastOf(candidates))
    candidates = candidates.from(enough - left(at + next + 1))
  }
  const hits = await best.find(candidates)
  if (limit < 1 || (hits.length === limit && (hits.at(-1)?.score ?? 0) >= enough)) return hits
  // Many of the best are deleted, or of documents that are not asked for: those that follow them are not complete.
  await added.add(terms.slice(at))
  return await best.find(added.all)
}
