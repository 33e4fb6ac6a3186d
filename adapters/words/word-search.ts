import { setImmediate } from 'node:timers/promises'
import {
  bm25Maximum,
  byLexicalScore,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSearchOptions,
} from '../../src/ports/index.js'
import { LengthFactors } from './length-factors.js'
import type { NumberRange, PostingSource } from './posting-source.js'
import { POSTING_BYTES } from './postings.js'
import { MARK, type ScoredNumber, ScoreSums, type WeightedPostings } from './score-sums.js'

/** Postings that are read at once, unless one term has more: 1 MB. */
const POSTINGS_AT_ONCE = 131_072
/** Postings that are added up between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000
/** Where there are more chunks, terms that tell little are not added up for all of them, and totals may be estimated. */
export const MANY_CHUNKS = 10_000
/** What these terms may earn together, of what a chunk can earn. They have most of the postings. */
const LITTLE_SHARE = 0.05
/** Hits that are looked up beyond those asked for: some may be deleted. */
const SPARE_HITS = 20
/** Look-ups after which all numbers of chunks are read that are not deleted and pass the filter. */
const MOST_LOOKUPS = 3

/** Terms with the number of their postings. */
type TermCounts = ReadonlyMap<string, number>

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
  const { chunks, deleted, meanLength } = source.totals
  const asked = [...query.keys()]
  const counted = await source.count(asked)
  const counts = new Map(asked.flatMap((term, at) => ((counted[at] ?? 0) > 0 ? [[term, counted[at] ?? 0]] : [])))
  // Deleted chunks count among those that have a term as long as their postings are there.
  const idfs = idfsOf(query, counts, chunks + deleted)
  const maximum = bm25Maximum(idfs)
  if (counts.size === 0) return { hits: [], maximum, scoresOf: noScores }
  const filter = {
    except: new Set(documents !== undefined && 'except' in documents ? documents.except : []),
    ranges: documents !== undefined && 'only' in documents ? await source.rangesOf(documents) : undefined,
  }
  const factors = new LengthFactors(meanLength)
  const read: WeightedPostings[] = []
  const sums = new ScoreSums(factors)
  const add = async (some: TermCounts, least = 0): Promise<void> => {
    for (const terms of groupsOf(some)) {
      const postings = await readPostings(source, terms, idfs)
      await addUp(sums, postings, least)
      read.push(...postings)
    }
  }
  const find = async (best?: readonly ScoredNumber[]): Promise<LexicalHit[]> =>
    limit < 1 ? [] : await bestHits(source, sums, limit, filter, best)
  const findAll = async (): Promise<LexicalHit[]> => {
    if (chunks <= MANY_CHUNKS) {
      await add(counts)
      return await find()
    }
    const { telling, others, bound } = divide(counts, idfs)
    await add(telling)
    const rank = limit + SPARE_HITS
    const best = sums.best(rank, undefined, filter.ranges)
    const enough = best[rank - 1]?.score ?? 0
    if (enough <= bound) {
      await add(others)
      return await find()
    }
    const isEnough = bound <= tolerance * maximum
    // A chunk that has less than this cannot come to have enough.
    if (!isEnough) await add(others, enough - bound)
    const hits = await find(isEnough ? best : undefined)
    if (limit < 1 || (hits.length === limit && (hits.at(-1)?.score ?? 0) >= enough)) return hits
    // Too many of the best are deleted, or of documents that are not asked for.
    if (isEnough) await add(others)
    else {
      sums.release()
      await addUp(sums, read, 0)
    }
    return await find()
  }
  try {
    const hits = await findAll()
    return { hits, maximum, scoresOf: async (numbers) => await scoresOf(numbers, read, factors) }
  } finally {
    sums.release()
  }
}

const noScores: WordsFound['scoresOf'] = async (numbers) => numbers.map(() => 0)

async function scoresOf(
  numbers: readonly (number | undefined)[],
  read: readonly WeightedPostings[],
  factors: LengthFactors,
): Promise<readonly number[]> {
  const sums = new ScoreSums(factors)
  try {
    sums.mark(numbers)
    await addUp(sums, read, MARK)
    return numbers.map((number) => (number === undefined ? 0 : sums.of(number)))
  } finally {
    sums.release()
  }
}

function idfsOf(query: LexicalQuery, counts: ReadonlyMap<string, number>, chunks: number): Map<string, number> {
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) {
    idfs.set(term, weight * inverseDocumentFrequency(chunks, counts.get(term) ?? 0))
  }
  return idfs
}

/** Parts terms that earn nearly all of what a chunk can earn from the others, which many chunks have, and earn a little. */
function divide(
  counts: TermCounts,
  idfs: ReadonlyMap<string, number>,
): { readonly telling: TermCounts; readonly others: TermCounts; readonly bound: number } {
  const earned = (term: string): number => bm25Maximum(new Map([['', idfs.get(term) ?? 0]]))
  const telling = new Map([...counts].sort(([one], [other]) => earned(one) - earned(other)))
  const others = new Map<string, number>()
  let bound = 0
  for (const [term, count] of telling) {
    if (bound + earned(term) > bm25Maximum(idfs) * LITTLE_SHARE) break
    bound += earned(term)
    telling.delete(term)
    others.set(term, count)
  }
  return { telling, others, bound }
}

/** Terms whose postings are read together. */
function groupsOf(counts: TermCounts): string[][] {
  const groups: string[][] = []
  let postings = Number.POSITIVE_INFINITY
  for (const [term, count] of [...counts].sort(([, one], [, other]) => one - other)) {
    if (postings + count > POSTINGS_AT_ONCE) {
      groups.push([])
      postings = 0
    }
    groups.at(-1)?.push(term)
    postings += count
  }
  return groups
}

/** The postings of terms, in the order of the terms: sums depend on the order in the last digits, and it is the same in all databases. */
async function readPostings(
  source: PostingSource,
  terms: readonly string[],
  idfs: ReadonlyMap<string, number>,
): Promise<WeightedPostings[]> {
  const read = [...(await source.read(terms))].sort((one, other) => one.term - other.term)
  return read.map(({ term, postings }) => ({ postings, idf: idfs.get(terms[term] ?? '') ?? 0 }))
}

/** @param least that a chunk must have already */
async function addUp(sums: ScoreSums, read: readonly WeightedPostings[], least: number): Promise<void> {
  let added = 0
  for (const each of read) {
    sums.add(each, least)
    added += each.postings.length / POSTING_BYTES
    if (added < POSTINGS_PER_TURN) continue
    added = 0
    await setImmediate()
  }
}

/** Which documents are asked for: all but some, or those whose chunks have numbers in these ranges. */
interface NumberFilter {
  readonly except: ReadonlySet<number>
  readonly ranges: readonly NumberRange[] | undefined
}

/**
 * The best that are not deleted and pass the filter.
 * @param known the best of the sums, where they are known already: some more than the limit
 */
async function bestHits(
  source: PostingSource,
  sums: ScoreSums,
  limit: number,
  filter: NumberFilter,
  known: readonly ScoredNumber[] | undefined,
): Promise<LexicalHit[]> {
  let { ranges } = filter
  const hits: LexicalHit[] = []
  let after: ScoredNumber | undefined
  let count = limit + SPARE_HITS
  for (let lookup = 1; hits.length < limit; lookup += 1) {
    if (lookup > MOST_LOOKUPS) ranges ??= await source.rangesOf({ except: [...filter.except] })
    const best = (lookup === 1 ? known : undefined) ?? sums.best(count, after, ranges)
    const chunks = await source.chunksOf(best.map(({ number }) => number))
    for (const { number, score } of best) {
      const chunk = chunks.get(number)
      if (chunk !== undefined && !filter.except.has(chunk.documentId)) hits.push({ ...chunk, score })
    }
    if (best.length < count) break
    after = best.at(-1)
    count *= 2
  }
  return hits.sort(byLexicalScore).slice(0, limit)
}
