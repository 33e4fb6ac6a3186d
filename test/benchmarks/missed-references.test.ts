import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type ChunkingScores,
  leastOverReference,
  missedReferences,
  type Score,
  scoresOf,
} from '../../benchmarks/retrieval-quality/missed-references.js'

const file = join(import.meta.dirname, '../../benchmarks/results/retrieval-quality.json')
const { results } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly results: { readonly chunkings: readonly ChunkingScores[]; readonly collections: readonly Score[] }
}

describe('the benchmark of retrieval quality', () => {
  it('accepts the committed results', () => {
    expect(results.collections.filter(({ reference }) => reference !== null)).toHaveLength(2)
    expect(missedReferences([...scoresOf(results.chunkings), ...results.collections])).toEqual([])
  })

  it('reports a fall below a reference, for chunkings and collections alike', () => {
    const chunking = {
      chunkSizeTokens: 1_000,
      recall: 0.975,
      reference: 0.995,
      precision: 0.011,
      referencePrecision: 0.012,
    }
    expect(missedReferences(scoresOf([chunking]))).toEqual(['recall of chunks of 1000 tokens is 0.975, not 0.995'])
    const imprecise = { ...chunking, recall: 0.99, precision: 0.01 }
    expect(missedReferences(scoresOf([imprecise]))).toEqual(['precision of chunks of 1000 tokens is 0.01, not 0.012'])
    const fallen = results.collections.map((each) => ({ ...each, score: each.score - 0.05 }))
    expect(missedReferences(fallen)).toEqual([
      expect.stringContaining('nDCG@10 of cranfield') as string,
      expect.stringContaining('nDCG@10 of cisi') as string,
    ])
    expect(missedReferences([{ collection: 'x', measure: 'y', score: Number.NaN, reference: 0.3 }])).toHaveLength(1)
  })

  it('reports the smallest difference, as a fraction of the tolerance', () => {
    const of = (score: number, reference: number | null): Score => ({ collection: 'x', measure: 'y', score, reference })
    expect(leastOverReference([of(0.5, 0.25), of(0.5, null), of(0.5, 0.75)])).toBeCloseTo(-25)
    expect(leastOverReference([{ ...of(0.5, 0.75), tolerance: 0.5 }])).toBeCloseTo(-0.5)
  })
})
