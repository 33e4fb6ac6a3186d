import type { MatchQuery, Query, Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import { bm25, byLexicalScore, type LexicalHit } from '../../src/ports/index.js'
import { loadArrowWords } from './load-arrow-rows.js'
import type { QuestionTerms } from './question-terms.js'

/** Columns of a chunk that is scored. */
const SCORED = ['document', 'chunk', 'terms']
/** Of the chunks that Lance holds for the best, so many more are scored than are wanted. */
const MORE_SCORED = 15
/** The first 20% of the hits, 10 at least, are to be exact; the others are seldom among the results. */
const MOST_CERTAIN = 10
const CERTAIN_SHARE = 0.2

/** What the score of a chunk follows. */
export interface WordQuestion {
  readonly terms: QuestionTerms
  /** Weighted by the question. */
  readonly idfs: ReadonlyMap<string, number>
  readonly meanLength: number
}

/** Where candidates come from. */
export interface CandidateSource {
  readonly table: Table
  readonly question: WordQuestion
  readonly predicate: string | undefined
  /** Whether Lance looks into its index alone. */
  readonly isIndexOnly: boolean
}

/** What is looked for. */
export interface CandidateQuery {
  /** The terms that Lance looks for, joined by spaces. */
  readonly text: string
  /** Most chunks that Lance estimates. */
  readonly count: number
  /** Most hits. */
  readonly limit: number
  /** The least and the greatest weight of these terms: Lance gives each of them the weight 1. */
  readonly weights: { readonly least: number; readonly most: number }
  /** The most that the question's other terms add to a score. */
  readonly left: number
  /** Whether all estimated chunks are scored. */
  readonly scoresAll?: boolean
  /** Hits that were found otherwise; a chunk may be in the index too. */
  readonly added: readonly LexicalHit[]
}

interface BestCandidates {
  readonly hits: readonly LexicalHit[]
  /**
   * Whether none is missing among the first hits: no chunk that was not found can have more of the terms that were looked
   * for, as far as scores and estimates go together. What the question's other terms add is not counted.
   */
  readonly isCertain: boolean
}

/** A chunk that Lance has found, and what Lance thinks of it. */
interface Estimate {
  readonly rowId: bigint
  readonly estimate: number
}

interface ScoredRow extends LexicalHit {
  readonly rowId: bigint
}

/** What Lance has found, the best first, and what scores it. */
interface Candidates {
  readonly estimates: readonly Estimate[]
  readonly score: (rows: readonly Estimate[]) => Promise<readonly ScoredRow[]>
}

/**
 * The best chunks by BM25. Lance estimates candidates by its index alone. Those that may be among the first hits are read and
 * scored: to read a chunk's terms takes ten times as long as to estimate it.
 */
export async function bestCandidates(source: CandidateSource, query: CandidateQuery): Promise<BestCandidates> {
  const { table } = source
  // Of rows that are not in the index yet Lance thinks too little, or too much.
  if (!source.isIndexOnly) return await choose(await readTogether(source, query), { ...query, scoresAll: true })
  const version = await table.version()
  const best = await choose(await estimated(source, query), query).catch(async (error: unknown) => {
    if ((await table.version()) === version) throw error
    return undefined
  })
  if (best !== undefined && (await table.version()) === version) return best
  // A write came between the two statements, and a compaction gives rows other ids.
  return await choose(await readTogether(source, query), query)
}

async function choose({ estimates, score }: Candidates, query: CandidateQuery): Promise<BestCandidates> {
  const { limit, count, weights, left, added } = query
  const certain = Math.min(limit, Math.max(MOST_CERTAIN, Math.ceil(limit * CERTAIN_SHARE)))
  const leastOfCertain = (estimates[certain - 1]?.estimate ?? 0) * weights.least
  const isOpen = ({ estimate }: Estimate): boolean => estimate * weights.most + left > leastOfCertain
  const first =
    query.scoresAll === true
      ? estimates
      : estimates.slice(0, Math.max(estimates.filter(isOpen).length, limit + MORE_SCORED))
  const scored = [...(await score(first))]
  const estimateOf = new Map(first.map(({ rowId, estimate }) => [rowId, estimate]))
  let mostPerEstimate = weights.most
  for (const row of scored) {
    const estimate = estimateOf.get(row.rowId) ?? 0
    if (estimate > 0) mostPerEstimate = Math.max(mostPerEstimate, (row.score - left) / estimate)
  }
  const leastScore = bestOf(scored, added, limit)[certain - 1]?.score ?? 0
  const open = estimates.slice(first.length).filter(({ estimate }) => estimate * mostPerEstimate + left > leastScore)
  scored.push(...(await score(open)))
  const hits = bestOf(scored, added, limit)
  const isAll = estimates.length < count
  if (hits.length < limit) return { hits, isCertain: isAll && left === 0 }
  const leastEstimate = estimates.at(-1)?.estimate ?? 0
  return { hits, isCertain: isAll || (hits[certain - 1]?.score ?? 0) >= leastEstimate * mostPerEstimate }
}

/** By two statements: what is not needed is not read. */
async function estimated(source: CandidateSource, query: CandidateQuery): Promise<Candidates> {
  const { toEstimates } = await loadArrowWords()
  return {
    estimates: toEstimates(await (await matches(source, query)).select(['_score']).withRowId().toArrow()),
    score: async (rows) => {
      if (rows.length === 0) return []
      const ids = rows.map(({ rowId }) => rowId)
      return await scoredRows(await source.table.takeRowIds(ids).select(SCORED).withRowId().toArrow(), source.question)
    },
  }
}

/** By one statement. */
async function readTogether(source: CandidateSource, query: CandidateQuery): Promise<Candidates> {
  const { toEstimates } = await loadArrowWords()
  const found = await (await matches(source, query))
    .select([...SCORED, '_score'])
    .withRowId()
    .toArrow()
  const scored = new Map((await scoredRows(found, source.question)).map((row) => [row.rowId, row]))
  const scoreOf = ({ rowId }: Estimate): ScoredRow[] => {
    const row = scored.get(rowId)
    return row === undefined ? [] : [row]
  }
  return { estimates: toEstimates(found), score: async (rows) => rows.flatMap(scoreOf) }
}

async function scoredRows(table: ArrowTable, { terms, idfs, meanLength }: WordQuestion): Promise<ScoredRow[]> {
  const { wordBatches } = await loadArrowWords()
  return wordBatches(table).flatMap((batch) =>
    Array.from({ length: batch.rows }, (_, row) => ({
      documentId: batch.documents[row] ?? 0,
      chunk: batch.chunks[row] ?? 0,
      rowId: batch.rowIds[row] ?? 0n,
      score: bm25(idfs, terms.in(batch, row), meanLength),
    })),
  )
}

/** The best of those from the index and of those that were found otherwise; a chunk may be in both for a moment. */
function bestOf(found: readonly LexicalHit[], added: readonly LexicalHit[], limit: number): LexicalHit[] {
  const all = new Map<string, LexicalHit>()
  for (const { documentId, chunk, score } of [...found, ...added]) {
    if (score > 0) all.set(`${documentId}:${chunk}`, { documentId, chunk, score })
  }
  return [...all.values()].sort(byLexicalScore).slice(0, limit)
}

async function matches(
  { table, predicate, isIndexOnly }: CandidateSource,
  { text, count }: CandidateQuery,
): Promise<Query> {
  const query = table
    .query()
    .fullTextSearch(await matching(text))
    .limit(count)
  if (predicate !== undefined) query.where(predicate)
  return isIndexOnly ? query.fastSearch() : query
}

/** Takes terms as they are: it is no query in Lance's syntax. */
export async function matching(text: string): Promise<MatchQuery> {
  const { MatchQuery, Operator } = await import('@lancedb/lancedb')
  return new MatchQuery(text, 'terms', { operator: Operator.Or })
}
