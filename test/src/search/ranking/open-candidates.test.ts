import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuse, type OpenCandidate, selectIncomplete } from '../../../../src/search/ranking/fusion.js'

const share = fc.double({ min: 0, max: 1, noNaN: true })

/** The true scores of a chunk, and the one of the two that is not known yet, except for its upper bound. */
const truths = fc.uniqueArray(
  fc.record({
    documentId: fc.integer({ min: 1, max: 40 }),
    ordinal: fc.integer({ min: 0, max: 3 }),
    similarity: share,
    wordScore: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 20, noNaN: true })),
    unknown: fc.constantFrom('similarity', 'wordScore', 'neither'),
    beyond: share,
  }),
  { selector: nameOf, minLength: 1, maxLength: 60 },
)
const searches = fc.record({
  topN: fc.integer({ min: 1, max: 8 }),
  scoreThreshold: fc.oneof(fc.constant(0), share),
  wordMaximum: fc.double({ min: 0.1, max: 40, noNaN: true }),
  modelKnowledge: share,
  similarityScale: fc.record({
    unrelated: fc.double({ min: -0.2, max: 0.95, noNaN: true }),
    related: fc.constant(1),
    languages: fc.constant(['en']),
  }),
})

function nameOf({ documentId, ordinal }: { readonly documentId: number; readonly ordinal: number }): string {
  return `${documentId}:${ordinal}`
}

describe('the selection of incomplete candidates', () => {
  it('never changes the results of a search by its omissions', () => {
    fc.assert(
      fc.property(truths, searches, (chunks, { topN, scoreThreshold, ...question }) => {
        const hasWords = chunks.some(({ wordScore }) => wordScore > 0)
        const candidates = chunks.map(({ documentId, ordinal, similarity, wordScore, unknown, beyond }) => ({
          documentId,
          ordinal,
          similarity:
            unknown === 'similarity' ? { most: similarity + beyond * (1 - similarity) } : { known: similarity },
          wordScore: unknown === 'wordScore' ? { most: wordScore + beyond } : { known: wordScore },
        }))
        const open = selectIncomplete(candidates, { question, hasWords, topN, scoreThreshold })
        const leftOut = new Set(chunks.filter(({ unknown }) => unknown !== 'neither').map(nameOf))
        for (const candidate of open) leftOut.delete(nameOf(candidate))
        const results = (known: typeof chunks) =>
          fuse(known, question)
            .filter(({ similarity }) => similarity >= scoreThreshold)
            .slice(0, topN)
            .map(({ score }) => score)
        // A chunk with the same score as the last result may take its place.
        const found = results(chunks.filter((chunk) => !leftOut.has(nameOf(chunk))))
        const all = results(chunks)
        const without = chunks.filter((chunk) => !leftOut.has(nameOf(chunk)))
        if (hasWords === without.some(({ wordScore }) => wordScore > 0)) expect(found).toEqual(all)
      }),
    )
  })

  it('skips chunks that stay behind the best, and completes the missing half of the others', () => {
    const known = (documentId: number, similarity: number, wordScore: number): OpenCandidate => ({
      documentId,
      ordinal: 0,
      similarity: { known: similarity },
      wordScore: { known: wordScore },
    })
    const bySimilarity = { documentId: 3, ordinal: 0, similarity: { known: 0.9 }, wordScore: { most: 9 } }
    const byWords = { documentId: 4, ordinal: 0, similarity: { most: 0.2 }, wordScore: { known: 1 } }
    const open = selectIncomplete([known(1, 0.8, 8), known(2, 0.7, 7), bySimilarity, byWords], {
      question: { wordMaximum: 10, modelKnowledge: 1, similarityScale: undefined },
      hasWords: true,
      topN: 2,
      scoreThreshold: 0,
    })
    expect(open).toEqual([bySimilarity])
  })
})
