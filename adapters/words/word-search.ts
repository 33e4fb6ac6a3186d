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
import type { NumberRange, PostingSource, PostingsRead } from './posting-source.js'
import { POSTING_BYTES } from './postings.js'
import { type ScoredNumber, ScoreSums } from './score-sums.js'
import { TermScores } from './term-scores.js'

/** Postings that are read at once, unless one term has more: 1 MB. */
const POSTINGS_AT_ONCE = 131_072
/** Postings that are added up between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 200_000
/** Where there are more chunks, terms that tell little are left out, and totals may be estimated. */
export const MANY_CHUNKS = 10_000
/** What the terms that are left out may earn together, of what a chunk can earn. They have most of the postings. */
const LEFT_OUT_SHARE = 0.05
/** Hits that are looked up beyond those asked for: some may be deleted. */
const SPARE_HITS = 20
/** Look-ups after which all numbers of chunks are read that are not deleted and pass the filter. */
const MOST_LOOKUPS = 3

/** The answer of a collection that has no chunks. */
export function emptyAnswer(query: LexicalQuery): LexicalAnswer {
  return { hits: [], maximum: bm25Maximum(idfsOf(query, new Map(), 0)), scoresOf: noScores }
}

/**
 * Finds the chunks with the highest scores: adds up the postings of the terms. Exact up to 10,000 chunks. Where there are
 * more, terms that many chunks have count for nothing, unless too few chunks have others.
 */
export async function searchWords(
  source: PostingSource,
  query: LexicalQuery,
  { limit, documents }: LexicalSearchOptions,
): Promise<LexicalAnswer> {
  const { chunks, deleted, meanLength } = source.totals
  const asked = [...query.keys()]
  const counted = await source.count(asked)
  const counts = new Map(asked.flatMap((term, at) => ((counted[at] ?? 0) > 0 ? [[term, counted[at] ?? 0]] : [])))
  // Deleted chunks count among those that have a term as long as their postings are there.
  const idfs = idfsOf(query, counts, chunks + deleted)
  const maximum = bm25Maximum(idfs)
  if (counts.size === 0) return { hits: [], maximum, scoresOf: noScores }
  const sums = new ScoreSums()
  const add = async (some: ReadonlyMap<string, number>): Promise<void> => {
    for (const terms of groupsOf(some)) {
      const scores = terms.map((term) => new TermScores(idfs.get(term) ?? 0, meanLength))
      await addUp(sums, await source.read(terms), scores)
    }
  }
  const best = async (): Promise<LexicalHit[]> =>
    limit < 1 ? [] : await bestHits(source, sums, { limit, ...(documents && { documents }) })
  const { telling, others } = chunks > MANY_CHUNKS ? divide(counts, idfs) : { telling: counts, others: new Map() }
  await add(telling)
  let hits = await best()
  if (hits.length < limit && others.size > 0) {
    await add(others)
    hits = await best()
  }
  const scoresOf: LexicalAnswer['scoresOf'] = async (chunks) =>
    (await source.numbersOf(chunks)).map((number) => (number === undefined ? 0 : sums.of(number)))
  return { hits, maximum, scoresOf }
}

const noScores: LexicalAnswer['scoresOf'] = async (chunks) => chunks.map(() => 0)

function idfsOf(query: LexicalQuery, counts: ReadonlyMap<string, number>, chunks: number): Map<string, number> {
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) {
    idfs.set(term, weight * inverseDocumentFrequency(chunks, counts.get(term) ?? 0))
  }
  return idfs
}

/** Parts terms that earn nearly all of what a chunk can earn from the others, which many chunks have. */
function divide(
  counts: ReadonlyMap<string, number>,
  idfs: ReadonlyMap<string, number>,
): Readonly<Record<'telling' | 'others', ReadonlyMap<string, number>>> {
  const earned = (term: string): number => bm25Maximum(new Map([['', idfs.get(term) ?? 0]]))
  const telling = new Map([...counts].sort(([one], [other]) => earned(one) - earned(other)))
  const others = new Map<string, number>()
  let left = bm25Maximum(idfs) * LEFT_OUT_SHARE
  for (const [term, count] of telling) {
    left -= earned(term)
    if (left < 0) break
    telling.delete(term)
    others.set(term, count)
  }
  return { telling, others }
}

/** Terms whose postings are read together. */
function groupsOf(counts: ReadonlyMap<string, number>): string[][] {
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

async function addUp(sums: ScoreSums, read: readonly PostingsRead[], scores: readonly TermScores[]): Promise<void> {
  let added = 0
  // Sums depend on the order in the last digits: it is the same in all databases.
  for (const { term, postings } of [...read].sort((one, other) => one.term - other.term)) {
    const ofTerm = scores[term]
    if (ofTerm === undefined) continue
    sums.add(postings, ofTerm)
    added += postings.length / POSTING_BYTES
    if (added < POSTINGS_PER_TURN) continue
    added = 0
    await setImmediate()
  }
}

/** The best that are not deleted and pass the filter. */
async function bestHits(
  source: PostingSource,
  sums: ScoreSums,
  { limit, documents }: LexicalSearchOptions,
): Promise<LexicalHit[]> {
  const except = documents !== undefined && 'except' in documents ? new Set(documents.except) : undefined
  let ranges: readonly NumberRange[] | undefined
  if (documents !== undefined && except === undefined) ranges = await source.rangesOf(documents)
  const hits: LexicalHit[] = []
  let after: ScoredNumber | undefined
  let count = limit + SPARE_HITS
  for (let lookup = 1; hits.length < limit; lookup += 1) {
    if (lookup > MOST_LOOKUPS) ranges ??= await source.rangesOf(documents ?? { except: [] })
    const best = sums.best(count, after, ranges)
    const chunks = await source.chunksOf(best.map(({ number }) => number))
    for (const { number, score } of best) {
      const chunk = chunks.get(number)
      if (chunk !== undefined && except?.has(chunk.documentId) !== true) hits.push({ ...chunk, score })
    }
    if (best.length < count) break
    after = best.at(-1)
    count *= 2
  }
  return hits.sort(byLexicalScore).slice(0, limit)
}
