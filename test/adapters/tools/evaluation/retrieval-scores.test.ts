import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meanScores, median, scorePositions } from '../../../../adapters/tools/evaluation/retrieval-scores.js'

const MISSING = Number.POSITIVE_INFINITY

describe('scores of one question', () => {
  it.each([
    // One answer: DCG is 1 / log2(position + 1), and the ideal DCG is 1.
    { positions: [1], k: 5, scores: { recall: 1, ndcg: 1, mrr: 1, hitAt1: 1 } },
    { positions: [2], k: 5, scores: { recall: 1, ndcg: 0.63093, mrr: 0.5, hitAt1: 0 } },
    { positions: [3], k: 5, scores: { recall: 1, ndcg: 0.5, mrr: 1 / 3, hitAt1: 0 } },
    { positions: [MISSING], k: 5, scores: { recall: 0, ndcg: 0, mrr: 0, hitAt1: 0 } },
    { positions: [6], k: 5, scores: { recall: 0, ndcg: 0, mrr: 0, hitAt1: 0 } },
    // Two answers at 1 and 3: (1 + 0.5) / (1 + 0.63093).
    { positions: [3, 1], k: 5, scores: { recall: 1, ndcg: 0.91972, mrr: 1, hitAt1: 1 } },
    // One of two, at 2: 0.63093 / 1.63093.
    { positions: [2, MISSING], k: 5, scores: { recall: 0.5, ndcg: 0.38685, mrr: 0.5, hitAt1: 0 } },
    // One chunk with both answers is a perfect result.
    { positions: [1, 1], k: 1, scores: { recall: 1, ndcg: 1, mrr: 1, hitAt1: 1 } },
    { positions: [1, 1], k: 5, scores: { recall: 1, ndcg: 1, mrr: 1, hitAt1: 1 } },
    // Three answers and two results: the ideal has two of them.
    { positions: [1, 2, MISSING], k: 2, scores: { recall: 2 / 3, ndcg: 1, mrr: 1, hitAt1: 1 } },
  ])('answers at $positions among $k results', ({ positions, k, scores }) => {
    const scored = scorePositions(positions, k)
    for (const [name, score] of Object.entries(scores)) {
      expect(scored[name as keyof typeof scored], name).toBeCloseTo(score, 5)
    }
  })

  const anyK = fc.integer({ min: 1, max: 20 })
  const anyPositions = fc.array(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(MISSING)), {
    minLength: 1,
    maxLength: 12,
  })

  it('are between 0 and 1, and do not depend on the order of the answers', () => {
    fc.assert(
      fc.property(anyPositions, anyK, (positions, k) => {
        const scores = scorePositions(positions, k)
        for (const score of Object.values(scores) as number[]) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(1 + 1e-12)
        }
        expect(scorePositions(positions.toReversed(), k)).toEqual(scores)
      }),
    )
  })

  it('are all 1 if the answers stand at the first positions', () => {
    fc.assert(
      fc.property(anyK, anyK, (count, more) => {
        const positions = Array.from({ length: count }, (_, index) => index + 1)
        expect(scorePositions(positions, count + more)).toEqual({ recall: 1, ndcg: 1, mrr: 1, hitAt1: 1 })
      }),
    )
  })

  it('do not rise if an irrelevant result moves before an answer, and fall if it stays among the results', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), fc.nat(), (positions, choice) => {
        const before = scorePositions(positions, 10)
        const from = positions[choice % positions.length] ?? 1
        const after = scorePositions(
          positions.map((position) => (position >= from ? position + 1 : position)),
          10,
        )
        expect(after.ndcg).toBeLessThan(before.ndcg)
        expect(after.mrr).toBeLessThanOrEqual(before.mrr)
        expect(after.recall).toBe(before.recall)
      }),
    )
  })

  it('do not change if irrelevant results change places among each other', () => {
    const scoresOf = (results: readonly (number | undefined)[], answers: number): unknown =>
      scorePositions(
        Array.from({ length: answers }, (_, answer) => {
          const index = results.indexOf(answer)
          return index === -1 ? MISSING : index + 1
        }),
        results.length,
      )
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (isRelevant) => {
        let next = 0
        const results = isRelevant.map((relevant) => (relevant ? next++ : undefined))
        const answers = next + 1
        // Each irrelevant result is the same to the scores: only the places of the answers count.
        const shuffled = [...results]
        const places = results.flatMap((result, index) => (result === undefined ? [index] : []))
        places.toReversed().forEach((place, index) => {
          shuffled[place] = results[places[index] ?? 0]
        })
        expect(scoresOf(shuffled, answers)).toEqual(scoresOf(results, answers))
      }),
    )
  })
})

it('the mean of scores is taken for each of them', () => {
  expect(meanScores([scorePositions([1], 5), scorePositions([MISSING], 5)])).toEqual({
    recall: 0.5,
    ndcg: 0.5,
    mrr: 0.5,
    hitAt1: 0.5,
  })
})

it('the median is the value in the middle', () => {
  expect([median([3]), median([9, 1, 5]), median([4, 1, 3, 2])]).toEqual([3, 5, 2])
})
