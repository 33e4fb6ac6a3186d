import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bm25, bm25Maximum, inverseDocumentFrequency } from '../../../../src/ports/lexical-index.js'
import { candidateLimits, type FusionCandidate, fuse } from '../../../../src/search/ranking/fusion.js'

const candidate = (documentId: number, similarity: number, wordScore: number): FusionCandidate => ({
  documentId,
  ordinal: 0,
  similarity,
  wordScore,
})
const documentsOf = (fused: readonly FusionCandidate[]) => fused.map(({ documentId }) => documentId)

const share = fc.double({ min: 0, max: 1, noNaN: true })
const similarityScale = fc.record({
  unrelated: fc.double({ min: -0.2, max: 0.95, noNaN: true }),
  related: fc.constant(1),
  languages: fc.constant(['en']),
})
const question = fc.record({
  wordMaximum: fc.double({ min: 0.1, max: 500, noNaN: true }),
  modelKnowledge: share,
  similarityScale,
})
const candidates = fc.uniqueArray(
  fc.record({
    documentId: fc.integer({ min: 1, max: 20 }),
    ordinal: fc.integer({ min: 0, max: 5 }),
    similarity: share,
    wordScore: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 500, noNaN: true })),
  }),
  { selector: ({ documentId, ordinal }) => `${documentId}:${ordinal}`, minLength: 1, maxLength: 30 },
)

describe('the fusion of words and meaning', () => {
  it('prefers a chunk that both sides rate well to one that a single side rates well', () => {
    const fused = fuse([candidate(1, 0.65, 0), candidate(2, 0.6, 9), candidate(3, 0.1, 9)], {
      wordMaximum: 20,
      modelKnowledge: 1,
      similarityScale: undefined,
    })
    expect(documentsOf(fused)).toEqual([2, 3, 1])
  })

  it('finds the one document of many alike with the requested part number, however near the others are', () => {
    const alike = Array.from({ length: 20 }, (_, at) => candidate(at + 1, 0.62 + at / 1_000, 0.4))
    const asked = candidate(99, 0.55, 8)
    expect(
      fuse([...alike, asked], { wordMaximum: 16, modelKnowledge: 1, similarityScale: undefined })[0],
    ).toMatchObject({
      documentId: 99,
    })
  })

  it('lets the vectors decide when the best chunk has few of the words of the question', () => {
    const fused = fuse([candidate(1, 0.2, 2), candidate(2, 0.7, 0)], {
      wordMaximum: 40,
      modelKnowledge: 1,
      similarityScale: undefined,
    })
    expect(documentsOf(fused)).toEqual([2, 1])
  })

  it('ranks by similarity alone when no chunk has a word of the question', () => {
    const fused = fuse([candidate(1, 0.2, 0), candidate(2, 0.7, 0)], {
      wordMaximum: 40,
      modelKnowledge: 0,
      similarityScale: undefined,
    })
    expect(fused.map(({ documentId, score }) => [documentId, score])).toEqual([
      [2, 0.7],
      [1, 0.2],
    ])
    expect(
      fuse([candidate(1, 0.3, 0)], { wordMaximum: 0, modelKnowledge: 1, similarityScale: undefined })[0]?.score,
    ).toBe(0.3)
  })

  it('takes a similarity of unrelated texts for none, so that the near ones of a model with high similarities count', () => {
    const [wordy, near] = [candidate(1, 0.8, 4), candidate(2, 0.92, 1)]
    const question = { wordMaximum: 10, modelKnowledge: 1 }
    expect(documentsOf(fuse([wordy, near], { ...question, similarityScale: undefined }))).toEqual([1, 2])
    expect(
      documentsOf(
        fuse([wordy, near], { ...question, similarityScale: { unrelated: 0.78, related: 0.9, languages: ['en'] } }),
      ),
    ).toEqual([2, 1])
    const [unlike] = fuse([candidate(3, 0.5, 10)], {
      ...question,
      similarityScale: { unrelated: 0.78, related: 0.9, languages: ['en'] },
    })
    expect(unlike?.score).toBeCloseTo(0.58)
  })

  it('ranks by words alone when the model does not know the question', () => {
    const fused = fuse([candidate(1, 0.9, 1), candidate(2, 0.1, 2), candidate(3, 0.95, 0)], {
      wordMaximum: 10,
      modelKnowledge: 0,
      similarityScale: undefined,
    })
    expect(documentsOf(fused)).toEqual([2, 1, 3])
  })

  it('ignores words that every chunk has', () => {
    const lengths = [40, 80, 120, 200]
    const everywhere = (length: number, idfs: ReadonlyMap<string, number>, rare: number) =>
      bm25(idfs, { length, occurrences: (term) => (term === 'rare' ? rare : Math.ceil(length / 20)) }, 110)
    const common = inverseDocumentFrequency(1_000, 1_000)
    for (const rareIdf of [0, inverseDocumentFrequency(1_000, 3)]) {
      const rare = new Map(rareIdf === 0 ? [] : [['rare', rareIdf]])
      const both = new Map([...rare, ['common', common]])
      const found = (idfs: ReadonlyMap<string, number>) =>
        fuse(
          lengths.map((length, at) => candidate(at + 1, 0.4 + at / 100, everywhere(length, idfs, at === 1 ? 1 : 0))),
          { wordMaximum: bm25Maximum(idfs), modelKnowledge: 1, similarityScale: undefined },
        )
      expect(documentsOf(found(both))).toEqual(documentsOf(found(rare)))
    }
  })

  it('returns every candidate once, scored from 0 to 1, in falling order, for any input order', () => {
    fc.assert(
      fc.property(candidates, question, fc.integer(), (found, asked, seed) => {
        const fused = fuse(found, asked)
        expect(fused).toHaveLength(found.length)
        for (const { score } of fused) expect(score >= 0 && score <= 1).toBe(true)
        expect(fused.map(({ score }) => score)).toEqual(fused.map(({ score }) => score).sort((a, b) => b - a))
        const shuffled = [...found].sort((one, other) => mixed(one, seed) - mixed(other, seed))
        expect(fuse(shuffled, asked)).toEqual(fused)
      }),
    )
  })

  it('never ranks a chunk lower for more similarity or a higher word score', () => {
    fc.assert(
      fc.property(candidates, question, fc.nat(), share, share, (found, asked, pick, nearer, wordier) => {
        const at = pick % found.length
        const before = found[at]
        if (before === undefined || before.wordScore === 0) return
        const better = {
          ...before,
          similarity: Math.min(1, before.similarity + nearer),
          wordScore: before.wordScore + wordier * asked.wordMaximum,
        }
        const placeOf = (list: readonly FusionCandidate[]) =>
          fuse(list, asked).findIndex(
            ({ documentId, ordinal }) => documentId === before.documentId && ordinal === before.ordinal,
          )
        expect(placeOf(found.with(at, better))).toBeLessThanOrEqual(placeOf(found))
      }),
    )
  })

  it('breaks ties by similarity, then by document, then by ordinal', () => {
    const tied = [
      { ...candidate(2, 0.5, 0), ordinal: 1 },
      { ...candidate(2, 0.5, 0), ordinal: 0 },
      candidate(1, 0.5, 0),
      candidate(3, 0.6, 0),
      candidate(4, 0.1, 5),
    ]
    const fused = fuse(tied, { wordMaximum: 10, modelKnowledge: 0, similarityScale: undefined })
    expect(fused.map(({ documentId, ordinal }) => `${documentId}:${ordinal}`)).toEqual([
      '4:0',
      '3:0',
      '1:0',
      '2:0',
      '2:1',
    ])
  })

  it('requests more candidates from both sides than any search returns', () => {
    for (const topN of [1, 5, 10, 100]) {
      const { byMeaning, byWords } = candidateLimits(topN)
      expect(Math.min(byMeaning, byWords)).toBeGreaterThanOrEqual(4 * topN)
    }
  })
})

/** An order that is independent of the order of the candidates. */
function mixed({ documentId, ordinal }: FusionCandidate, seed: number): number {
  return Math.imul(documentId * 31 + ordinal + 1, seed | 1) & 0xffff
}
