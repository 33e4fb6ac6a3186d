import { setImmediate } from 'node:timers/promises'
import type { Knex } from 'knex'
import {
  bm25Maximum,
  byLexicalScore,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSearchOptions,
} from '../../src/ports/index.js'
import { type CollectionTotals, chunksOf, type NumberRange, numbersOf, rangesOf } from './chunk-runs.js'
import { POSTING_BYTES } from './postings.js'
import { type ScoredNumber, ScoreSums } from './score-sums.js'
import { TermScores } from './term-scores.js'
import type { WordTable } from './word-tables.js'

/** Postings that one statement reads, unless one term has more: the text of its answer has 2 MB. */
const POSTINGS_PER_STATEMENT = 131_072
/** Postings that are added up between two turns of the event loop: about 5 ms. */
const POSTINGS_PER_TURN = 100_000
/** Hits that are looked up beyond those asked for: some may be deleted. */
const SPARE_HITS = 20
/** Look-ups after which all numbers of chunks are read that are not deleted and pass the filter. */
const MOST_LOOKUPS = 3

interface FrequencyRow {
  readonly term: string
  readonly bytes: string
  readonly rows: string
}
interface PostingRow {
  readonly term: string
  readonly postings: Buffer
}

/** What a search found, and how many rows of postings the term with most of them has. */
export interface SearchOutcome {
  readonly answer: LexicalAnswer
  readonly mostRows: number
}

/** The answer of a collection that has no chunks. */
export function emptyAnswer(query: LexicalQuery): LexicalAnswer {
  return { hits: [], maximum: bm25Maximum(idfsOf(query, new Map(), 0)), scoresOf: noScores }
}

/** Finds the chunks with the highest scores: adds up the postings of every term, exactly. */
export async function searchWords(
  knex: Knex,
  table: WordTable,
  query: LexicalQuery,
  { limit, documents }: LexicalSearchOptions,
  { chunks, deleted, meanLength }: CollectionTotals,
): Promise<SearchOutcome> {
  const frequencies = await knex.raw<{ readonly rows: readonly FrequencyRow[] }>(
    'select term, sum(octet_length(postings)) as bytes, count(*) as rows from ?? where term = any(?::text[]) group by term',
    [table.postings, [...query.keys()]],
  )
  const counts = new Map(frequencies.rows.map(({ term, bytes }) => [term, Number(bytes) / POSTING_BYTES]))
  // Deleted chunks count among those that have a term as long as their postings are there.
  const idfs = idfsOf(query, counts, chunks + deleted)
  const maximum = bm25Maximum(idfs)
  const mostRows = frequencies.rows.reduce((most, { rows }) => Math.max(most, Number(rows)), 0)
  if (counts.size === 0) return { answer: { hits: [], maximum, scoresOf: noScores }, mostRows }
  const sums = new ScoreSums()
  for (const terms of groupsOf(counts)) {
    const read = await knex.raw<{ readonly rows: readonly PostingRow[] }>(
      'select term, postings from ?? where term = any(?::text[])',
      [table.postings, terms],
    )
    await addUp(sums, read.rows, idfs, meanLength)
  }
  const hits = limit < 1 ? [] : await bestHits(knex, table, sums, { limit, ...(documents && { documents }) })
  const scoresOf: LexicalAnswer['scoresOf'] = async (chunks) =>
    (await numbersOf(knex, table, chunks)).map((number) => (number === undefined ? 0 : sums.of(number)))
  return { answer: { hits, maximum, scoresOf }, mostRows }
}

const noScores: LexicalAnswer['scoresOf'] = async (chunks) => chunks.map(() => 0)

function idfsOf(query: LexicalQuery, counts: ReadonlyMap<string, number>, chunks: number): Map<string, number> {
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) {
    idfs.set(term, weight * inverseDocumentFrequency(chunks, counts.get(term) ?? 0))
  }
  return idfs
}

/** Terms whose postings are read together. */
function groupsOf(counts: ReadonlyMap<string, number>): string[][] {
  const groups: string[][] = []
  let postings = Number.POSITIVE_INFINITY
  for (const [term, count] of [...counts].sort(([, one], [, other]) => one - other)) {
    if (postings + count > POSTINGS_PER_STATEMENT) {
      groups.push([])
      postings = 0
    }
    groups.at(-1)?.push(term)
    postings += count
  }
  return groups
}

async function addUp(
  sums: ScoreSums,
  rows: readonly PostingRow[],
  idfs: ReadonlyMap<string, number>,
  meanLength: number,
): Promise<void> {
  const scores = new Map<string, TermScores>()
  let added = 0
  for (const { term, postings } of rows) {
    const ofTerm = scores.get(term) ?? new TermScores(idfs.get(term) ?? 0, meanLength)
    scores.set(term, ofTerm)
    sums.add(postings, ofTerm)
    added += postings.length / POSTING_BYTES
    if (added < POSTINGS_PER_TURN) continue
    added = 0
    await setImmediate()
  }
}

/** The best that are not deleted and pass the filter. */
async function bestHits(
  knex: Knex,
  table: WordTable,
  sums: ScoreSums,
  { limit, documents }: LexicalSearchOptions,
): Promise<LexicalHit[]> {
  const except = documents !== undefined && 'except' in documents ? new Set(documents.except) : undefined
  let ranges: NumberRange[] | undefined
  if (documents !== undefined && except === undefined) ranges = await rangesOf(knex, table, documents)
  const hits: LexicalHit[] = []
  let after: ScoredNumber | undefined
  let count = limit + SPARE_HITS
  for (let lookup = 1; hits.length < limit; lookup += 1) {
    if (lookup > MOST_LOOKUPS) ranges ??= await rangesOf(knex, table, documents ?? { except: [] })
    const best = sums.best(count, after, ranges)
    const chunks = await chunksOf(
      knex,
      table,
      best.map(({ number }) => number),
    )
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
