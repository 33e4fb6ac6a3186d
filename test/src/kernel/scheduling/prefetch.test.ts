import { describe, expect, it } from 'vitest'
import { prefetch } from '../../../../src/kernel/scheduling/prefetch.js'

describe('a prefetch', () => {
  it('yields every item in order', async () => {
    expect(await collect(prefetch(numbers(5)))).toEqual([0, 1, 2, 3, 4])
    expect(await collect(prefetch(numbers(0)))).toEqual([])
  })

  it('computes the next item while the last one is used, and no more', async () => {
    const made: number[] = []
    for await (const item of prefetch(numbers(6, (number) => made.push(number)))) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(made.length).toBeLessThanOrEqual(item + 2)
      expect(made.length).toBeGreaterThanOrEqual(Math.min(6, item + 2))
    }
  })

  it('throws an error at the position of its item', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1
      yield 2
      throw new Error('third')
    }
    const seen: number[] = []
    const reading = async (): Promise<void> => {
      for await (const item of prefetch(failing())) seen.push(item)
    }
    await expect(reading()).rejects.toThrow('third')
    expect(seen).toEqual([1, 2])
  })

  it('closes its source when the consumer stops', async () => {
    let isEnded = false
    async function* source(): AsyncGenerator<number> {
      try {
        for (let number = 0; ; number += 1) yield number
      } finally {
        isEnded = true
      }
    }
    for await (const item of prefetch(source())) if (item === 3) break
    expect(isEnded).toBe(true)
  })
})

async function* numbers(count: number, made: (number: number) => void = () => undefined): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) {
    made(number)
    yield number
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
