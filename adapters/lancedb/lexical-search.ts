import { setImmediate } from 'node:timers/promises'
import type { Table } from '@lancedb/lancedb'
import {
  bm25,
  bm25Maximum,
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
import { chunkKey, documentPredicate, NOTHING } from './document-predicates.js'
import { loadArrowWords } from './load-arrow-rows.js'
import type { OpenTable } from './open-table.js'
import { QuestionTerms } from './question-terms.js'
import { type RecentWords, type WrittenBatch } from './recent-words.js'
import { keysOf, rowsOfChunks } from './rows-of-chunks.js'
import type { StatisticsKeeper } from './statistics-keeper.js'
import { TERMS_INDEX } from './table-facts.js'
import type { TermStatistics } from './term-statistics.js'
import {
  bestCandidates,
  type CandidateQuery,
  type CandidateSource,
  matching,
  type WordQuestion,
} from './word-candidates.js'

/** Chunks that Lance estimates for a search that wants so many: its estimates are about the scores. */
const ESTIMATED_PER_HIT = 1.5
const MORE_ESTIMATED = 50
/** So many times as many where the first ones may not be all that matter. */
const SECOND_TIME = 3
/**
 * Lance gives every term the same weight, and takes longest for terms that many chunks have: it looks for those that have
 * this share of what a chunk can earn.
 */
const TELLING_SHARE = 0.95
/** Lance thinks little or much of all chunks that are not in the index yet: so many of them have room beside the others. */
const MOST_UNINDEXED = 2_048
/** Chunks that are looked at without a pause: some milliseconds. */
const CHUNKS_AT_ONCE = 1_024
/** Chunks with a rare term that are counted one by one. */
const MOST_RARE = 1_024

/** Of a collection without chunks. */
export function emptyAnswer(query: LexicalQuery): LexicalAnswer {
  const maximum = bm25Maximum(idfsOf(query, 0, () => 0))
  return { hits: [], maximum, scoresOf: async (chunks) => chunks.map(() => 0) }
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

  async best(open: OpenTable, query: LexicalQuery, options: LexicalSearchOptions): Promise<WordsFound> {
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
    const question: WordQuestion = { terms, idfs, meanLength: statistics.meanLength }
    const found = { maximum: bm25Maximum(idfs), question }
    const predicate = documentPredicate(documents)
    if (predicate === NOTHING || terms.text === '' || limit === 0) return { ...found, hits: [] }
    const unindexed = recent === undefined ? ((await table.indexStats(TERMS_INDEX))?.numUnindexedRows ?? chunks) : 0
    const added = scoredOf(looked, question, documents)
    const source: CandidateSource = { table, question, predicate, isIndexOnly: recent !== undefined }
    const count = Math.ceil(limit * ESTIMATED_PER_HIT) + MORE_ESTIMATED + Math.min(unindexed, MOST_UNINDEXED)
    const { telling, left } = tellingTerms(question)
    const weightsOf = (some: readonly string[]): CandidateQuery['weights'] => {
      const weights = some.map((term) => query.get(term) ?? 0)
      return { least: Math.min(...weights), most: Math.max(...weights) }
    }
    const ofTelling = { text: telling.join(' '), weights: weightsOf(telling), left }
    const first = await bestCandidates(source, { ...ofTelling, count, limit, added })
    if (first.isCertain) return { ...found, hits: first.hits }
    const ofAll = { text: terms.text, weights: weightsOf([...query.keys()]), left: 0 }
    const second = await bestCandidates(source, { ...ofAll, count: count * SECOND_TIME, limit, added: first.hits })
    return { ...found, hits: second.hits }
  }
}

/** What a search found, and what other chunks are scored by as it scored its hits. */
export interface WordsFound extends Omit<LexicalAnswer, 'scoresOf'> {
  readonly question: WordQuestion
}

/** The scores of chunks, in their order. */
export async function scoresOf(
  table: Table,
  { terms, idfs, meanLength }: WordQuestion,
  chunks: readonly IndexedChunk[],
): Promise<readonly number[]> {
  const { TERMS, wordBatches } = await loadArrowWords()
  const scores = new Map<bigint, number>()
  for (const rows of await rowsOfChunks(table, chunks, [TERMS])) {
    for (const [at, batch] of wordBatches(rows).entries()) {
      const columns = rows.batches[at]
      if (columns === undefined) continue
      const keyOf = keysOf(columns)
      for (let row = 0; row < batch.rows; row += 1) {
        scores.set(keyOf(row), bm25(idfs, terms.in(batch, row), meanLength))
      }
    }
  }
  return chunks.map((chunk) => scores.get(chunkKey(chunk)) ?? 0)
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
  { idfs, meanLength }: WordQuestion,
  documents: DocumentFilter | undefined,
): LexicalHit[] {
  const passes = passesOf(looked.length === 0 ? undefined : documents)
  return looked
    .filter(({ documentId }) => passes(documentId))
    .map(({ documentId, chunk, terms }) => ({ documentId, chunk, score: bm25(idfs, terms, meanLength) }))
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

/** The terms that have most of what a chunk can earn, and the most that the others add to its score. */
function tellingTerms({ terms, idfs }: WordQuestion): { readonly telling: readonly string[]; readonly left: number } {
  const enough = bm25Maximum(idfs) * TELLING_SHARE
  const left = new Map(terms.all.map(({ term }) => [term, idfs.get(term) ?? 0]))
  const telling = new Map<string, number>()
  for (const [term, idf] of [...left].sort(([, one], [, other]) => other - one)) {
    if (bm25Maximum(telling) >= enough) break
    telling.set(term, idf)
    left.delete(term)
  }
  return { telling: [...telling.keys()], left: bm25Maximum(left) }
}
