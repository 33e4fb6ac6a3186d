import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ChunkingScore, type CollectionScore, missedReferences } from '../../benchmarks/missed-references.js'

const file = join(import.meta.dirname, '../../benchmarks/results/retrieval-quality.json')
const { results } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly results: { readonly chunkings: readonly ChunkingScore[]; readonly collections: readonly CollectionScore[] }
}

describe('the benchmark of retrieval quality', () => {
  it('is content with the results that are committed', () => {
    expect(results.collections.filter(({ reference }) => reference !== null)).toHaveLength(2)
    expect(missedReferences(results.chunkings, results.collections)).toEqual([])
  })

  it('tells of a fall below a reference, of chunkings and collections alike', () => {
    const [chunking] = results.chunkings
    expect(missedReferences(chunking ? [{ ...chunking, recall: chunking.reference - 0.02 }] : [], [])).toEqual([
      'recall at 1000 tokens is 0.975, not 0.995',
    ])
    const fallen = results.collections.map((each) => ({ ...each, score: each.score - 0.05 }))
    expect(missedReferences([], fallen)).toEqual([
      expect.stringContaining('nDCG@10 of cranfield') as string,
      expect.stringContaining('nDCG@10 of cisi') as string,
    ])
    expect(missedReferences([], [{ collection: 'x', measure: 'y', score: Number.NaN, reference: 0.3 }])).toHaveLength(1)
  })
})
