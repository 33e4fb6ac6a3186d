import { setImmediate } from 'node:timers/promises'
import type { Table } from '@lancedb/lancedb'
import {
  bm25,
  bm25Maximum,
  byLexicalScore,
  type ChunkTerms,
  type DocumentFilter,
  type IndexedChunk,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalQuery,
  type LexicalSearchOptions,
  passesOf,
} from '../../src/ports/index.js'
import { documentPredicate, NOTHING } from './document-predicates.js'
import { loadArrowWords } from './load-arrow-rows.js'
import type { OpenTable } from './open-table.js'
import { QuestionTerms } from './question-terms.js'
import { type RecentWords, type WrittenBatch } from './recent-words.js'
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
/** Chunks that are looked at without a pause: some milliseconds. */
const CHUNKS_AT_ONCE = 1_024
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
  readonly #recent: RecentWords | undefined

  /** @param recent where this process alone writes */
  constructor(keeper: StatisticsKeeper, recent: RecentWords | undefined) {
    this.#keeper = keeper
    this.#recent = recent
  }

  async best(open: OpenTable, query: LexicalQuery, options: LexicalSearchOptions): Promise<LexicalAnswer> {
    const { limit, documents } = options
    const { table } = open
    // Before the table is searched: what goes from here is in its index by then.
    const recent = await this.#recent?.in(open)
    const chunks = await table.countRows()
    const statistics = await this.#keeper.of(open, chunks)
    const terms = new QuestionTerms(query.keys())
    const looked = recent === undefined ? [] : await lookAt(recent, terms)
    const frequencies = await frequenciesOf(table, terms, { statistics, chunks, looked })
    const idfs = idfsOf(query, chunks, (term) => frequencies.get(term) ?? 0)
    const maximum = bm25Maximum(idfs)
    const predicate = documentPredicate(documents)
    if (predicate === NOTHING || terms.text === '' || limit === 0) return { hits: [], maximum }
    const { meanLength } = statistics
    const question: Question = { terms, idfs, predicate, isIndexOnly: recent !== undefined, meanLength }
    const unindexed = recent === undefined ? ((await table.indexStats(TERMS_INDEX))?.numUnindexedRows ?? chunks) : 0
    const count = Math.ceil(limit * CANDIDATES_PER_HIT) + MORE_CANDIDATES + Math.min(unindexed, MOST_UNINDEXED)
    const added = scoredOf(looked, question, documents)
    let found = await candidates(table, question, count)
    let best = bestOf(found, added, limit)
    if (found.length >= count && !isCertain(found, best, limit)) {
      found = await candidates(table, question, count * SECOND_TIME)
      best = bestOf(found, added, limit)
    }
    return { hits: best, maximum }
  }
}

/** A chunk that Lance's index lacks, and the terms of the question in it. */
interface Looked extends IndexedChunk {
  readonly terms: ChunkTerms
}

/** Those of the chunks that Lance's index lacks that have a term of the question. Lets others work every few milliseconds. */
async function lookAt(recent: readonly WrittenBatch[], terms: QuestionTerms): Promise<Looked[]> {
  const looked: Looked[] = []
  let chunks = 0
  for (const batch of recent) {
    for (let row = 0; row < batch.rows; row += 1) {
      const found = batch.isDeleted[row] === 1 ? undefined : terms.in(batch, row)
      if (found?.isAny) {
        looked.push({ documentId: batch.documents[row] ?? 0, chunk: batch.chunks[row] ?? 0, terms: found })
      }
      chunks += 1
      if (chunks % CHUNKS_AT_ONCE === 0) await setImmediate()
    }
  }
  return looked
}

function scoredOf(
  looked: readonly Looked[],
  { idfs, meanLength }: Question,
  documents: DocumentFilter | undefined,
): LexicalHit[] {
  const passes = passesOf(looked.length === 0 ? undefined : documents)
  return looked
    .filter(({ documentId }) => passes(documentId))
    .map(({ documentId, chunk, terms }) => ({ documentId, chunk, score: bm25(idfs, terms, meanLength) }))
}

/** The best of those from the index and of those that were added since; a chunk may be in both for a moment. */
function bestOf(found: readonly LexicalHit[], added: readonly LexicalHit[], limit: number): LexicalHit[] {
  const all = new Map<string, LexicalHit>()
  for (const { documentId, chunk, score } of [...found, ...added]) {
    if (score > 0) all.set(`${documentId}:${chunk}`, { documentId, chunk, score })
  }
  return [...all.values()].sort(byLexicalScore).slice(0, limit)
}

/** In how many of the chunks each term is. Rare ones that may not have been counted are looked up. */
async function frequenciesOf(
  table: Table,
  terms: QuestionTerms,
  known: { readonly statistics: TermStatistics; readonly chunks: number; readonly looked: readonly Looked[] },
): Promise<ReadonlyMap<string, number>> {
  const frequencies = terms.all.map(async ({ term, hash }): Promise<[string, number]> => {
    const { chunks: counted, isUncertain } = known.statistics.documentFrequency(hash, known.chunks)
    if (!isUncertain) return [term, counted]
    const added = known.looked.filter((each) => each.terms.occurrences(term) > 0).length
    const indexed = await countRare(table, term)
    return [term, indexed < MOST_RARE ? indexed + added : Math.max(counted, indexed)]
  })
  return new Map(await Promise.all(frequencies))
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
  /** Whether Lance looks into its index alone. */
  readonly isIndexOnly: boolean
  readonly meanLength: number
}

/** The chunks that Lance holds for the best. */
async function candidates(
  table: Table,
  { terms, idfs, predicate, isIndexOnly, meanLength }: Question,
  count: number,
): Promise<Candidate[]> {
  const { wordBatches } = await loadArrowWords()
  const all = table
    .query()
    .fullTextSearch(await matching(terms.text))
    .limit(count)
  const passing = predicate === undefined ? all : all.where(predicate)
  if (isIndexOnly) passing.fastSearch()
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
  return scored
}

/** Whether no chunk that was not found can be better than the last one that is wanted, as far as scores and estimates go together. */
function isCertain(found: readonly Candidate[], best: readonly LexicalHit[], limit: number): boolean {
  let least = Number.POSITIVE_INFINITY
  let mostPerEstimate = 0
  for (const { score, estimate } of found) {
    least = Math.min(least, estimate)
    if (estimate > 0) mostPerEstimate = Math.max(mostPerEstimate, score / estimate)
  }
  return (best[limit - 1]?.score ?? 0) >= least * mostPerEstimate
}

/** Takes terms as they are: it is no query in Lance's syntax. */
async function matching(text: string) {
  const { MatchQuery, Operator } = await import('@lancedb/lancedb')
  return new MatchQuery(text, 'terms', { operator: Operator.Or })
}
