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
import { PostingSums, type TermCounts } from './posting-sums.js'

/** Where there are more chunks, terms that tell little are not added up for all of them, and totals may be estimated. */
export const MANY_CHUNKS = 10_000
/** What these terms may earn together, of what a chunk can earn by the terms that there are. They have most of the postings. */
const LITTLE_SHARE = 0.05

/** What a search found. */
export interface WordsFound extends Pick<LexicalAnswer, 'hits' | 'maximum'> {
  /** The scores of chunks by their numbers; 0 for one that has none. */
  readonly scoresOf: (numbers: readonly (number | undefined)[]) => Promise<readonly number[]>
}

/** What a search finds in a collection that has no chunks. */
export function nothingFound(query: LexicalQuery): WordsFound {
  return { hits: [], maximum: bm25Maximum(idfsOf(query, new Map(), 0)), scoresOf: noScores }
}

/**
 * Finds the chunks with the highest scores: adds up the postings of the terms. Among many chunks, terms that tell little
 * are added only for chunks that may be among the hits, or not at all: other chunks may have a score that is a little too
 * low.
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
  if (counts.size === 0) return { hits: [], maximum, scoresOf: noScores }
  const best = await BestHits.of(source, limit, documents)
  const added = new PostingSums(source, idfs)
  try {
    const hits =
      chunks > MANY_CHUNKS
        ? await amongMany(added, best, divide(counts, idfs), { limit, tolerance })
        : await amongFew(added, best, counts)
    return { hits, maximum, scoresOf: async (numbers) => await added.scoresOf(numbers) }
  } finally {
    added.release()
  }
}

const noScores: WordsFound['scoresOf'] = async (numbers) => numbers.map(() => 0)

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
  readonly telling: TermCounts
  /** Many chunks have these, and earn little by them. */
  readonly others: TermCounts
  /** The most that a chunk can earn by the others. */
  readonly bound: number
  /** The most that a chunk can earn by all of them. */
  readonly most: number
}

function divide(counts: TermCounts, idfs: ReadonlyMap<string, number>): Divided {
  const earned = (term: string): number => bm25Maximum(new Map([['', idfs.get(term) ?? 0]]))
  const telling = new Map([...counts].sort(([one], [other]) => earned(one) - earned(other)))
  const most = [...telling.keys()].reduce((sum, term) => sum + earned(term), 0)
  const others = new Map<string, number>()
  let bound = 0
  for (const [term, count] of telling) {
    if (bound + earned(term) > most * LITTLE_SHARE) break
    bound += earned(term)
    telling.delete(term)
    others.set(term, count)
  }
  return { telling, others, bound, most }
}

async function amongFew(added: PostingSums, best: BestHits, counts: TermCounts): Promise<LexicalHit[]> {
  await added.add(counts)
  return await best.find(added.sums)
}

async function amongMany(
  added: PostingSums,
  best: BestHits,
  { telling, others, bound, most }: Divided,
  { limit, tolerance }: { readonly limit: number; readonly tolerance: number },
): Promise<LexicalHit[]> {
  await added.add(telling)
  const candidates = best.candidates(added.sums)
  const enough = best.leastOf(candidates)
  if (enough <= bound) {
    await added.add(others)
    return await best.find(added.sums)
  }
  const areOthersNeeded = bound > tolerance * most
  // A chunk that has less than this cannot come to have enough.
  if (areOthersNeeded) await added.add(others, enough - bound)
  const hits = await best.find(added.sums, areOthersNeeded ? undefined : candidates)
  if (limit < 1 || (hits.length === limit && (hits.at(-1)?.score ?? 0) >= enough)) return hits
  // Many of the best are deleted, or of documents that are not asked for: those that follow them are not complete.
  if (areOthersNeeded) await added.addAgain()
  else await added.add(others)
  return await best.find(added.sums)
}
