import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EmbeddingTask, poolInto } from '../../../adapters/device/threads/embedding-task.js'

describe('batches of a task', () => {
  it('contain every text once, padded to the longest, about 1,024 tokens each', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 254 }), { minLength: 1, maxLength: 60 }), (lengths) => {
        const inputs = lengths.map((length) => Int32Array.of(101, ...new Int32Array(length).fill(7), 102))
        const task = new EmbeddingTask({ id: 1, isUrgent: false }, inputs, 0, 4)
        const seen: number[] = []
        while (!task.isTaken) {
          const { rows, tokensPerText, ids, mask } = task.takeBatch()
          seen.push(...rows)
          expect(ids.length).toBe(rows.length * tokensPerText)
          expect(rows.length === 1 || ids.length <= 1_024).toBe(true)
          rows.forEach((row, index) => {
            const length = (lengths[row] ?? 0) + 2
            const input = [...ids.subarray(index * tokensPerText, (index + 1) * tokensPerText)].map(Number)
            expect(input).toEqual([
              101,
              ...new Array<number>(length - 2).fill(7),
              102,
              ...new Array<number>(tokensPerText - length).fill(0),
            ])
            expect(
              mask.subarray(index * tokensPerText, (index + 1) * tokensPerText).filter((bit) => bit === 1n).length,
            ).toBe(length)
          })
        }
        expect(seen.sort((one, other) => one - other)).toEqual(lengths.map((_, row) => row))
      }),
    )
  })
})

describe('pooling', () => {
  const vectors = { data: Float32Array.from([9, 9, 9, 9, 1, 2, 3, 4, 99, 99]), tokensPerText: 5, dimensions: 2 }

  it('averages the tokens of a text and ignores padding', () => {
    const into = new Float32Array(2)
    poolInto(into, vectors, 0, 4, { pooling: 'mean', normalized: false })
    expect([...into]).toEqual([5.5, 6])
  })

  it('uses the first token for cls', () => {
    const into = new Float32Array(2)
    poolInto(into, vectors, 0, 4, { pooling: 'cls', normalized: false })
    expect([...into]).toEqual([9, 9])
  })

  it('cuts vectors before it scales them, and takes each token from its own place', () => {
    const long = { data: Float32Array.from([3, 4, 100, 5, 6, 100, 7, 7, 7]), tokensPerText: 3, dimensions: 3 }
    const [mean, first] = [new Float32Array(2), new Float32Array(2)]
    poolInto(mean, long, 0, 2, { pooling: 'mean', normalized: false })
    expect([...mean]).toEqual([4, 5])
    poolInto(first, long, 0, 2, { pooling: 'cls', normalized: true })
    expect([...first].map((component) => Math.round(component * 10) / 10)).toEqual([0.6, 0.8])
  })

  it('scales vectors to length 1', () => {
    const into = new Float32Array(2)
    poolInto(into, { data: Float32Array.from([3, 4]), tokensPerText: 1, dimensions: 2 }, 0, 1, {
      pooling: 'mean',
      normalized: true,
    })
    expect([...into].map((component) => Math.round(component * 10) / 10)).toEqual([0.6, 0.8])
  })
})
