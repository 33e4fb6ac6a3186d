import { describe, expect, it } from 'vitest'
import { hashOf } from '../../adapters/lancedb/term-hash.js'
import { type EncodedTerms, TermStatistics } from '../../adapters/lancedb/term-statistics.js'

const encoder = new TextEncoder()
const hash = (term: string) => hashOf(encoder.encode(term))

function encode(...chunks: readonly (readonly string[])[]): EncodedTerms {
  const parts = chunks.map((terms) => encoder.encode(terms.join(' ')))
  const offsets = new Int32Array(chunks.length + 1)
  for (const [row, part] of parts.entries()) offsets[row + 1] = (offsets[row] ?? 0) + part.length
  return { bytes: Uint8Array.from(parts.flatMap((part) => [...part])), offsets }
}

describe('Term statistics', () => {
  it('count each term once in a chunk, and the lengths of chunks', () => {
    const statistics = new TermStatistics()
    const terms = encode(['apple', 'pear', 'apple'], [], ['pear'], ['東京', 'apple'])
    for (let row = 0; row < 4; row += 1) statistics.count(terms, row)
    const counted = (term: string) => statistics.documentFrequency(hash(term), 4)
    expect(counted('apple')).toEqual({ chunks: 2, isUncertain: false })
    expect(counted('pear')).toEqual({ chunks: 2, isUncertain: false })
    expect(counted('東京')).toEqual({ chunks: 1, isUncertain: false })
    expect(counted('plum')).toEqual({ chunks: 0, isUncertain: false })
    expect([statistics.chunks, statistics.meanLength]).toEqual([4, 1.5])
  })

  it('stand for as many chunks as there are', () => {
    const statistics = new TermStatistics()
    const terms = encode(['apple', 'pear'], ['pear'])
    for (let row = 0; row < 2; row += 1) statistics.count(terms, row)
    expect(statistics.documentFrequency(hash('apple'), 10).chunks).toBe(5)
    expect(statistics.documentFrequency(hash('pear'), 1).chunks).toBe(1)
  })

  it('leave out the rarest of too many terms, and tell of which they are not certain', () => {
    const statistics = new TermStatistics()
    for (let chunk = 0; chunk < 400; chunk += 1) {
      const rare = Array.from({ length: 1_000 }, (_, at) => `rare-${chunk}-${at}`)
      statistics.count(encode(['common', ...rare]), 0)
    }
    expect(statistics.bytes).toBeLessThanOrEqual(2 ** 23)
    expect(statistics.leftOut).toBeGreaterThan(0)
    expect(statistics.documentFrequency(hash('common'), 400)).toEqual({ chunks: 400, isUncertain: false })
    expect(statistics.documentFrequency(hash('rare-0-0'), 400)).toEqual({ chunks: 0, isUncertain: true })
  })
})
