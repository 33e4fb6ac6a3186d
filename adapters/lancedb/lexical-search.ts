import type { Table } from '@lancedb/lancedb'
import {
  bm25,
  bm25Maximum,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSearchOptions,
} from '../../src/ports/index.js'
import { documentPredicate, NOTHING } from './document-predicates.js'
import { loadArrowWords } from './load-arrow-rows.js'
import type { OpenTable } from './open-table.js'
import { QuestionTerms } from './question-terms.js'
import type { StatisticsKeeper } from './statistics-keeper.js'
import { TERMS_INDEX } from './table-facts.js'
import type { TermStatistics } from './term-statistics.js'

/** Chunks that are compared exactly for a search that wants so many: Lance's own scores are about those. */
const CANDIDATES_PER_HIT = 1.5
const MORE_CANDIDATES = 50
/** So many times as many where the first ones may not be all that matter. */
const SECOND_TIME = 3
/** Lance thinks little or much of all chunks that are not in the index yet: so many of them have room beside the others. */
const MOST_UNINDEXED = 2_048
/** Chunks with a rare term that are counted one by one. */
const MOST_RARE = 1_024

/** A chunk that Lance has found. */
interface Candidate extends LexicalHit {
  /** What Lance thinks of it. */
  readonly estimate: number
}

/** The score that nothing in a collection without chunks can exceed. */
export function emptyAnswer(query: LexicalQuery): LexicalAnswer {
  return { hits: [], maximum: bm25Maximum(idfsOf(query, 0, () => 0)) }
}

/**
 * Finds chunks by Lance's index, and ranks them by BM25. Lance's own scores depend on which parts of the index a chunk
 * is in, on the filter, and on what was not indexed yet: they only choose the chunks that are compared.
 */
export class LexicalSearch {
  readonly #keeper: StatisticsKeeper

  constructor(keeper: StatisticsKeeper) {
    this.#keeper = keeper
  }

  async best(open: OpenTable, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    const { limit, documents } = options
    const { table } = open
    const chunks = await table.countRows()
    const statistics = await this.#keeper.of(open, chunks)
    const terms = new QuestionTerms(query.keys())
    const frequencies = await frequenciesOf(table, terms, statistics, chunks)
    const idfs = idfsOf(query, chunks, (term) => frequencies.get(term) ?? 0)
    const maximum = bm25Maximum(idfs)
    const predicate = documentPredicate(documents)
    if (predicate === NOTHING || terms.text === '' || limit === 0) return { hits: [], maximum }
    const find = async (count: number): Promise<Candidate[]> =>
      await candidates(table, { terms, idfs, predicate, meanLength: statistics.meanLength }, count)
    const unindexed = (await table.indexStats(TERMS_INDEX))?.numUnindexedRows ?? chunks
    const count = Math.ceil(limit * CANDIDATES_PER_HIT) + MORE_CANDIDATES + Math.min(unindexed, MOST_UNINDEXED)
    let found = await find(count)
    if (found.length >= count && !isCertain(found, limit)) found = await find(count * SECOND_TIME)
    const hits = found.filter(({ score }) => score > 0).slice(0, limit)
    return { hits: hits.map(({ documentId, chunk, score }) => ({ documentId, chunk, score })), maximum }
  }
}

/** In how many of the chunks each term is. Rare ones that were not counted are looked up. */
async function frequenciesOf(
  table: Table,
  terms: QuestionTerms,
  statistics: TermStatistics,
  chunks: number,
): Promise<ReadonlyMap<string, number>> {
  const known = terms.all.map(async ({ term, hash }): Promise<[string, number]> => {
    const { chunks: counted, isUncertain } = statistics.documentFrequency(hash, chunks)
    return [term, isUncertain ? Math.max(await countRare(table, term), 1) : counted]
  })
  return new Map(await Promise.all(known))
}

/** Chunks in the index that have a rare term. */
async function countRare(table: Table, term: string): Promise<number> {
  const query = table
    .query()
    .fullTextSearch(await matching(term))
    .fastSearch()
    .limit(MOST_RARE)
  return (await query.select(['_score']).toArrow()).numRows
}

function idfsOf(query: LexicalQuery, chunks: number, withTerm: (term: string) => number): ReadonlyMap<string, number> {
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) idfs.set(term, weight * inverseDocumentFrequency(chunks, withTerm(term)))
  return idfs
}

interface Question {
  readonly terms: QuestionTerms
  readonly idfs: ReadonlyMap<string, number>
  readonly predicate: string | undefined
  readonly meanLength: number
}

/** The chunks that Lance holds for the best, in the order of their BM25. */
async function candidates(
  table: Table,
  { terms, idfs, predicate, meanLength }: Question,
  count: number,
): Promise<Candidate[]> {
  const { wordBatches } = await loadArrowWords()
  const all = table
    .query()
    .fullTextSearch(await matching(terms.text))
    .limit(count)
  const passing = predicate === undefined ? all : all.where(predicate)
  const found = await passing.select(['document', 'chunk', 'terms', '_score']).toArrow()
  const scored: Candidate[] = []
  for (const batch of wordBatches(found)) {
    for (let row = 0; row < batch.rows; row += 1) {
      scored.push({
        documentId: batch.documents[row] ?? 0,
        chunk: batch.chunks[row] ?? 0,
        estimate: batch.scores[row] ?? 0,
        score: bm25(idfs, terms.in(batch, row), meanLength),
      })
    }
  }
  return scored.sort(
    (one, other) => other.score - one.score || one.documentId - other.documentId || one.chunk - other.chunk,
  )
}

/** Whether no chunk that was not found can be better than the last one that is wanted, as far as scores and estimates go together. */
function isCertain(found: readonly Candidate[], limit: number): boolean {
  let least = Number.POSITIVE_INFINITY
  let mostPerEstimate = 0
  for (const { score, estimate } of found) {
    least = Math.min(least, estimate)
    if (estimate > 0) mostPerEstimate = Math.max(mostPerEstimate, score / estimate)
  }
  return (found[limit - 1]?.score ?? 0) >= least * mostPerEstimate
}

/** Takes terms as they are: it is no query in Lance's syntax. */
async function matching(text: string) {
  const { MatchQuery, Operator } = await import('@lancedb/lancedb')
  return new MatchQuery(text, 'terms', { operator: Operator.Or })
}
