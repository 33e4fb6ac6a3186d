import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VisibleChunk } from '../../../src/ports/index.js'
import {
  type ContextFinding,
  groupContexts,
  type JoinedChunk,
  joinFairly,
  sumStatistics,
} from '../../../src/search/join.js'
import { PromptTerms } from '../../../src/search/prompt-terms.js'
import type { ScoreScale } from '../../../src/search/ranking/fusion.js'

const BOTH: ScoreScale = {
  by: 'both',
  question: { wordMaximum: 10, modelKnowledge: 1, similarityScale: undefined },
  hasWords: true,
}

/** A context whose documents have ids from 100 times its own id on. */
function finding(contextId: number, fingerprint: string, scores: readonly number[], scale: ScoreScale): ContextFinding {
  const chunks = scores.map((score, at) => ({ documentId: contextId * 100 + at, ordinal: 0, score }))
  const ranked = chunks.map((chunk) => ({
    ...chunk,
    similarity: chunk.score,
    window: 0,
    foundBy: [],
    nearest: undefined,
  }))
  const records = chunks.map(({ documentId }) => ({ documentId, ordinal: 0, sizeBytes: 7 }) as unknown as VisibleChunk)
  return {
    embeddingModel: 'model',
    contextId,
    fingerprint,
    found: { ranked, records, terms: new PromptTerms(new Map(), new Map()), scale, words: undefined, vectors: [] },
  }
}

const contextsOf = (chunks: readonly JoinedChunk[]): number[] => chunks.map(({ contextId }) => contextId)

describe('joining what a search found in several contexts', () => {
  it('orders by score where the scores have one origin', () => {
    const joined = joinFairly(
      groupContexts([
        finding(1, 'a', [0.9, 0.3, 0.1], { by: 'meaning' }),
        finding(2, 'a', [0.8, 0.7], { by: 'meaning' }),
        finding(3, 'a', [], { by: 'meaning' }),
      ]),
    )
    expect(joined.map(({ contextId, score }) => [contextId, score])).toEqual([
      [1, 0.9],
      [2, 0.8],
      [2, 0.7],
      [1, 0.3],
      [1, 0.1],
    ])
    expect(joined[0]).toMatchObject({ sizeBytes: 7, documentId: 100 })
  })

  it('orders scores by words together, whatever the models are', () => {
    const joined = joinFairly(
      groupContexts([finding(1, 'a', [0.9, 0.8], { by: 'words' }), finding(2, 'b', [0.1], { by: 'words' })]),
    )
    expect(contextsOf(joined)).toEqual([1, 1, 2])
  })

  it('scores a context without the words of the prompt as the others', () => {
    // Its own search has scored by similarity alone, so 0.7 would come before a chunk with all words.
    const withWords = finding(1, 'a', [0.5], BOTH)
    const [ranked] = withWords.found.ranked
    if (ranked === undefined) throw new Error('there is a chunk')
    const found = { ...withWords.found, ranked: [{ ...ranked, similarity: 0.6, wordScore: 9 }] }
    const joined = joinFairly(
      groupContexts([finding(2, 'a', [0.7, 0.2], { ...BOTH, hasWords: false }), { ...withWords, found }]),
    )
    expect(contextsOf(joined)).toEqual([1, 2, 2])
    expect(joined[1]?.score).toBeCloseTo(0.42 * 0.7)
  })

  it('takes turns between models, in proportion to their contexts', () => {
    const joined = joinFairly(
      groupContexts([
        finding(1, 'a', [0.9, 0.8, 0.7, 0.6], { by: 'meaning' }),
        finding(2, 'a', [0.95, 0.5], { by: 'meaning' }),
        finding(3, 'b', [0.2, 0.1], { by: 'meaning' }),
      ]),
    )
    expect(contextsOf(joined)).toEqual([2, 3, 1, 1, 3, 1, 1, 2])
    const scores = joined.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((one, other) => other - one))
    expect(scores.slice(0, 3)).toEqual([1, 1, 1 / 1.5])
  })

  it('starves no group, keeps the order of each, and depends on no order of the contexts', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 8 })
    const contexts = fc.array(fc.record({ model: fc.constantFrom('a', 'b', 'c'), mode: fc.boolean(), scores }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(contexts, (given) => {
        const findings = given.map(({ model, mode, scores: each }, at) => {
          const ordered = [...each].sort((one, other) => other - one).map((score) => score / 100)
          return finding(at + 1, model, ordered, { by: mode ? 'meaning' : 'words' })
        })
        const joined = joinFairly(groupContexts(findings))
        expect(joinFairly(groupContexts([...findings].reverse()))).toEqual(joined)
        expect(joined).toHaveLength(given.reduce((sum, { scores: each }) => sum + each.length, 0))
        const groupOf = ({ contextId }: JoinedChunk): string => {
          const { model = '', mode = true } = given[contextId - 1] ?? {}
          return mode ? model : 'words'
        }
        const groups = new Set(joined.map(groupOf))
        expect(new Set(joined.slice(0, groups.size).map(groupOf))).toEqual(groups)
        for (const { contextId } of findings) {
          const ids = joined.filter((chunk) => chunk.contextId === contextId).map(({ documentId }) => documentId)
          expect(ids).toEqual([...ids].sort((one, other) => one - other))
        }
        for (const [at, { score }] of joined.entries()) expect(score).toBeLessThanOrEqual(joined[at - 1]?.score ?? 1)
      }),
    )
  })

  it('sums the statistics of words', () => {
    const sum = sumStatistics([
      { chunks: 10, meanLength: 4, chunksWithTerm: new Map([['apple', 3]]) },
      { chunks: 0, meanLength: 0, chunksWithTerm: new Map() },
      {
        chunks: 30,
        meanLength: 8,
        chunksWithTerm: new Map([
          ['apple', 1],
          ['pear', 2],
        ]),
      },
    ])
    expect(sum).toMatchObject({ chunks: 40, meanLength: 7 })
    expect([...sum.chunksWithTerm]).toEqual([
      ['apple', 4],
      ['pear', 2],
    ])
    expect(sumStatistics([])).toMatchObject({ chunks: 0, meanLength: 0 })
  })
})
