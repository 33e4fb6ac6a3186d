import {
  bm25,
  bm25Maximum,
  byLexicalScore,
  canBeSimilar,
  type DocumentIds,
  findSimilar,
  gramsOf,
  inverseDocumentFrequency,
  type LexicalAnswer,
  type LexicalHit,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
  type LexicalSearchOptions,
  type LexicalStatistics,
  MAX_FOUND_TERMS,
  mostSimilar,
  partsOf,
  passesOf,
  type SimilarTerms,
  sharedGrams,
  type TermCount,
  type Vocabulary,
} from '../../src/ports/index.js'
import { MemoryCollections } from './memory-collections.js'

interface StoredChunk {
  readonly documentId: number
  readonly chunk: number
  readonly length: number
  readonly occurrences: ReadonlyMap<string, number>
}

/** Terms of chunks in memory. A search reads all of them. The end of the process deletes them. */
export class MemoryLexicalIndex extends MemoryCollections<StoredChunk> implements LexicalIndex {
  constructor() {
    super('the word index')
  }

  async add(collection: string, { documentId, chunks, terms, names = [] }: LexicalRows): Promise<void> {
    this.refuseIfClosed()
    const added = chunks.map((chunk, row) => {
      const chunkTerms = terms[row] ?? []
      const occurrences = countTerms([...chunkTerms, ...(names[row] ?? [])])
      return { documentId, chunk, length: chunkTerms.length, occurrences }
    })
    const replaced = new Set(chunks)
    this.removeRows(collection, (row) => row.documentId === documentId && replaced.has(row.chunk))
    if (added.length > 0) this.addRows(collection, added)
  }

  async search(
    collection: string,
    query: LexicalQuery,
    { limit, documents, statistics, similarTo }: LexicalSearchOptions,
  ): Promise<LexicalAnswer> {
    const rows = this.rowsOf(collection)
    const groups = await similarIn(rows, [...query.keys()], similarTo)
    const idfs = new Map<string, number>()
    const { chunks, meanLength, chunksWithTerm } = statistics ?? statisticsOf(rows, [...query.keys()], groups)
    for (const [term, weight] of query) {
      idfs.set(term, weight * inverseDocumentFrequency(chunks, chunksWithTerm.get(term) ?? 0))
    }
    const passes = passesOf(documents)
    const scoreOf = ({ length, occurrences }: StoredChunk): number =>
      bm25(idfs, { length, occurrences: (term) => occurrencesIn(occurrences, term, groups) }, meanLength)
    const hits = rows
      .filter(({ documentId }) => passes(documentId))
      .map((row): LexicalHit => ({ documentId: row.documentId, chunk: row.chunk, score: scoreOf(row) }))
      .filter(({ score }) => score > 0)
      .sort(byLexicalScore)
    return {
      hits: hits.slice(0, limit),
      maximum: bm25Maximum(idfs),
      idfs,
      similar: groups,
      scoresOf: async (chunks) => {
        const currentRows = new Map(this.rowsOf(collection).map((row) => [`${row.documentId}:${row.chunk}`, row]))
        return chunks.map(({ documentId, chunk }) => {
          const row = currentRows.get(`${documentId}:${chunk}`)
          return row === undefined ? 0 : scoreOf(row)
        })
      },
    }
  }

  async statistics(
    collection: string,
    terms: readonly string[],
    similarTo?: ReadonlySet<string>,
  ): Promise<LexicalStatistics> {
    const rows = this.rowsOf(collection)
    return statisticsOf(rows, terms, await similarIn(rows, terms, similarTo))
  }

  async countTerms(
    collection: string,
    terms: readonly string[],
    { documents }: { readonly documents?: DocumentIds } = {},
  ): Promise<ReadonlyMap<string, TermCount>> {
    this.refuseIfClosed()
    const passes = passesOf(documents)
    const rows = this.rowsOf(collection).filter(({ documentId }) => passes(documentId))
    const counts = new Map<string, TermCount>()
    for (const term of terms) {
      const withTerm = rows.filter(({ occurrences }) => occurrences.has(term))
      const ids = new Set(withTerm.map(({ documentId }) => documentId))
      if (withTerm.length > 0) counts.set(term, { chunks: withTerm.length, documents: ids.size })
    }
    return counts
  }

  async findTerms(collection: string, prefixes: readonly string[]): Promise<readonly string[]> {
    const terms = [...new Set(this.rowsOf(collection).flatMap(({ occurrences }) => [...occurrences.keys()]))].sort()
    return prefixes.flatMap((prefix) => terms.filter((term) => term.startsWith(prefix)).slice(0, MAX_FOUND_TERMS))
  }
}

type TermGroups = ReadonlyMap<string, SimilarTerms>

async function similarIn(
  rows: readonly StoredChunk[],
  terms: readonly string[],
  similarTo: ReadonlySet<string> = new Set(),
): Promise<TermGroups> {
  const known = new Set(rows.flatMap(({ occurrences }) => [...occurrences.keys()]))
  const candidates = [...known]
    .filter(canBeSimilar)
    .map((term) => ({ term, grams: gramsOf(term), parts: partsOf(term) }))
  const sharedWith = (word: string): ReadonlyMap<string, number> => {
    const grams = gramsOf(word)
    const shared = candidates.map((one) => ({ ...one, shared: sharedGrams(grams, one.grams) }))
    return new Map(mostSimilar(partsOf(word), shared).map((one) => [one.term, one.shared]))
  }
  const vocabulary: Vocabulary = {
    readShared: async (words) => ({ known, shared: words.map(sharedWith) }),
    readExisting: async (asked) => new Set(asked.filter((term) => known.has(term))),
  }
  return await findSimilar(
    vocabulary,
    terms.filter((term) => similarTo.has(term)),
  )
}

function occurrencesIn(occurrences: StoredChunk['occurrences'], term: string, groups: TermGroups): number {
  let sum = occurrences.get(term) ?? 0
  for (const [other, weight] of groups.get(term)?.terms ?? []) sum += weight * (occurrences.get(other) ?? 0)
  return sum
}

function statisticsOf(rows: readonly StoredChunk[], terms: readonly string[], groups: TermGroups): LexicalStatistics {
  /** Adds up the best weight of each chunk. */
  const countWith = (term: string): number => {
    const weights: [string, number][] = [[term, 1], ...(groups.get(term)?.terms ?? [])]
    return rows.reduce((sum, { occurrences }) => {
      return sum + Math.max(0, ...weights.map(([one, weight]) => (occurrences.has(one) ? weight : 0)))
    }, 0)
  }
  return {
    chunks: rows.length,
    meanLength: rows.reduce((sum, { length }) => sum + length, 0) / Math.max(1, rows.length),
    chunksWithTerm: new Map(terms.map((term) => [term, countWith(term)])),
  }
}

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
