import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PostingSource } from '../../../adapters/words/posting-source.js'
import { POSTING_BYTES, postingsOf } from '../../../adapters/words/postings.js'
import { searchWords } from '../../../adapters/words/word-search.js'
import { bm25, type DocumentIds, inverseDocumentFrequency } from '../../../src/ports/index.js'
import { sized } from '../../full-form.js'

/** The source reports this many times as many chunks as it has, so that the search is one among many. */
const TIMES = 400
const CHUNKS_PER_DOCUMENT = 5
const TERMS = ['rare', 'seldom', 'some', 'often', 'most', 'all']

/** Documents that do not exist. */
const UNKNOWN = Array.from({ length: 2_500 }, (_, at) => 10_000 + at)

interface Collection {
  /** The terms of each chunk; chunk 0 has number 0. */
  readonly chunks: readonly (readonly string[])[]
  readonly deleted: ReadonlySet<number>
  /** True if the source reads some postings of a term alone. */
  readonly hasReadOf: boolean
  /** The source reports this many times as many postings as it has. With few, no chunks of a filter are looked up. */
  readonly countTimes: number
}

const chunk = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 4 })), {
  minLength: TERMS.length,
  maxLength: TERMS.length,
})
/** Each term is in about half as many chunks as the next one; all chunks with one of the terms may be deleted. */
const collections = fc
  .tuple(
    fc.array(chunk, { minLength: 60, maxLength: 240 }),
    fc.array(fc.nat(239)),
    fc.constantFrom(undefined, ...TERMS.slice(1, 4)),
    fc.boolean(),
    fc.constantFrom(1, 20, TIMES),
  )
  .map(([chunks, deleted, deletedTerm, hasReadOf, countTimes]): Collection => {
    const terms = chunks.map((each) =>
      each.flatMap(([chance, times], term) =>
        chance < 1 / 2 ** (TERMS.length - 1 - term) ? Array.from({ length: times }, () => TERMS[term] ?? '') : [],
      ),
    )
    const withTerm = terms.flatMap((each, number) => (each.some((term) => term === deletedTerm) ? [number] : []))
    return { chunks: terms, deleted: new Set([...deleted, ...withTerm]), hasReadOf, countTimes }
  })
const questions = fc.uniqueArray(
  fc.tuple(fc.constantFrom(...TERMS, 'nowhere'), fc.double({ min: 0.1, max: 2, noNaN: true })),
  {
    selector: ([term]) => term,
    minLength: 1,
  },
)
const documents = fc.uniqueArray(fc.integer({ min: 1, max: 48 }))
const filters: fc.Arbitrary<DocumentIds | undefined> = fc.oneof(
  fc.constant(undefined),
  documents.map((only) => ({ only })),
  // So many that the chunks of the documents are not read before the search.
  documents.map((only) => ({ only: [...only, ...UNKNOWN] })),
  documents.map((except) => ({ except })),
)

const documentOf = (number: number): number => Math.floor(number / CHUNKS_PER_DOCUMENT) + 1
const passes = (number: number, filter: DocumentIds | undefined): boolean => {
  if (filter === undefined) return true
  return 'only' in filter ? filter.only.includes(documentOf(number)) : !filter.except.includes(documentOf(number))
}

const statistics = ({ chunks }: Collection) => ({
  chunks: chunks.length * TIMES,
  deleted: 0,
  meanLength: chunks.reduce((sum, { length }) => sum + length, 0) / chunks.length,
})
const countOf = ({ chunks, countTimes }: Collection, term: string): number =>
  chunks.filter((terms) => terms.includes(term)).length * countTimes

/** Returns postings in parts of seven, out of order, and those of one chunk only on request. */
async function sourceOf(collection: Collection): Promise<PostingSource> {
  const { chunks, deleted } = collection
  const postings = new Map((await postingsOf({ terms: chunks }, 0)).map((one) => [one.term, one.postings]))
  const partsOf = (term: string): Buffer[] => {
    const all = postings.get(term) ?? Buffer.alloc(0)
    const parts: Buffer[] = []
    for (let at = 0; at < all.length; at += 7 * POSTING_BYTES) parts.unshift(all.subarray(at, at + 7 * POSTING_BYTES))
    return parts
  }
  const living = chunks.map((_, number) => number).filter((number) => !deleted.has(number))
  const readOf: PostingSource['readOf'] = (terms, numbers) =>
    Promise.resolve(
      terms.flatMap((name, term) =>
        partsOf(name)
          .filter((part) => {
            const [first, last] = [part.readUInt32BE(0), part.readUInt32BE(part.length - POSTING_BYTES)]
            return numbers.some((number) => number >= first && number <= last)
          })
          .map((part) => ({ term, postings: part })),
      ),
    )
  return {
    totals: statistics(collection),
    count: (terms) => Promise.resolve(terms.map((term) => countOf(collection, term))),
    read: (terms) =>
      Promise.resolve(terms.flatMap((name, term) => partsOf(name).map((part) => ({ term, postings: part })))),
    ...(collection.hasReadOf && { readOf }),
    rangesOf: (filter) =>
      Promise.resolve(
        living
          .filter((number) => passes(number, filter))
          .map((first) => ({ first, end: first + 1, documentId: documentOf(first) })),
      ),
    chunksOf: (numbers) =>
      Promise.resolve(
        new Map(
          numbers
            .filter((number) => !deleted.has(number))
            .map((number) => [number, { documentId: documentOf(number), chunk: number % CHUNKS_PER_DOCUMENT }]),
        ),
      ),
  }
}

/** The score of each chunk, by the definition. */
function scoresOf(collection: Collection, question: ReadonlyMap<string, number>): number[] {
  const { chunks, meanLength } = statistics(collection)
  const idfs = new Map(
    [...question].map(([term, weight]) => [term, weight * inverseDocumentFrequency(chunks, countOf(collection, term))]),
  )
  return collection.chunks.map((terms) => {
    const occurrences = (term: string): number => terms.filter((one) => one === term).length
    return bm25(idfs, { occurrences, length: terms.length }, meanLength)
  })
}

describe('a word search among many chunks', () => {
  it('finds the best for any question, filter and deletion, and scores any chunk', async () => {
    await fc.assert(
      fc.asyncProperty(
        collections,
        questions,
        filters,
        fc.integer({ min: 1, max: 12 }),
        async (collection, asked, filter, limit) => {
          const question = new Map(asked)
          const scores = scoresOf(collection, question)
          const best = [...scores.entries()]
            .filter(([number, score]) => score > 0 && !collection.deleted.has(number) && passes(number, filter))
            .sort(([one, oneScore], [other, otherScore]) => otherScore - oneScore || one - other)
            .slice(0, limit)
          const source = await sourceOf(collection)
          const found = await searchWords(source, question, {
            limit,
            ...(filter && { documents: filter }),
          })
          expect(found.hits).toHaveLength(best.length)
          for (const [at, { documentId, chunk: ordinal, score }] of found.hits.entries()) {
            expect(score).toBeCloseTo(best[at]?.[1] ?? 0, 9)
            expect(score).toBeCloseTo(scores[(documentId - 1) * CHUNKS_PER_DOCUMENT + ordinal] ?? 0, 9)
          }
          const rescored = await found.scoresOf(source, [...scores.keys(), undefined])
          for (const [number, score] of scores.entries()) expect(rescored[number]).toBeCloseTo(score, 9)
          expect(rescored.at(-1)).toBe(0)
        },
      ),
      { numRuns: sized(200, 600) },
    )
  })

  it('finds as many with a tolerance, no score is lower by more than the tolerance, and scores of single chunks are exact', async () => {
    await fc.assert(
      fc.asyncProperty(collections, questions, filters, async (collection, asked, filter) => {
        const question = new Map(asked)
        const scores = scoresOf(collection, question)
        const source = await sourceOf(collection)
        const { hits, maximum, shortfall, ...found } = await searchWords(source, question, {
          limit: 10,
          tolerance: 0.05,
          ...(filter && { documents: filter }),
        })
        const there = scores.filter(
          (score, number) => score > 0 && !collection.deleted.has(number) && passes(number, filter),
        )
        expect(hits).toHaveLength(Math.min(10, there.length))
        for (const { documentId, chunk: ordinal, score } of hits) {
          const exact = scores[(documentId - 1) * CHUNKS_PER_DOCUMENT + ordinal] ?? 0
          expect(score).toBeLessThanOrEqual(exact + 1e-9)
          expect(score).toBeGreaterThanOrEqual(exact - shortfall - 1e-9)
        }
        expect(shortfall).toBeLessThanOrEqual(0.05 * maximum)
        const rescored = await found.scoresOf(source, [...scores.keys()])
        for (const [number, score] of scores.entries()) expect(rescored[number]).toBeCloseTo(score, 9)
      }),
      { numRuns: sized(80, 200) },
    )
  })
})
