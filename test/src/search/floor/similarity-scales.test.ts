import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryEmbeddingModel, MemoryStorage } from '../../../../adapters/memory/index.js'
import { FairScheduler } from '../../../../src/kernel/scheduling/fair-scheduler.js'
import type { EmbedOptions } from '../../../../src/ports/index.js'
import { SAMPLE_PAIRS } from '../../../../src/search/floor/sample-pairs.js'
import { SimilarityScales } from '../../../../src/search/floor/similarity-scales.js'

const PAIRS = Object.values(SAMPLE_PAIRS).flat()

/** Gives each question of the sample the vector of its answer, in the languages that it knows. */
class SampleModel extends MemoryEmbeddingModel {
  calls = 0
  answer: (() => Promise<void>) | undefined

  constructor(private readonly known: readonly string[]) {
    super({ dimensions: 8, similarity: undefined })
  }

  override async embed(texts: readonly string[], _options: EmbedOptions): Promise<Float32Array> {
    this.calls += 1
    await this.answer?.()
    return Float32Array.from(texts.flatMap((text) => this.#vectorOf(text)))
  }

  #vectorOf(text: string): number[] {
    for (const [language, pairs] of Object.entries(SAMPLE_PAIRS)) {
      const at = pairs.findIndex(({ question, answer }) => question === text || answer === text)
      if (at === -1) continue
      const place = this.known.includes(language) ? at : 0
      return Array.from({ length: 8 }, (_, index) => (index === place ? 1 : index === 7 ? 0.5 : 0))
    }
    throw new Error(`not a text of the sample: ${text}`)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

async function scaleOf(scales: SimilarityScales, model: SampleModel, signal?: AbortSignal) {
  return await scales.of(model, new FairScheduler(2), signal)
}

describe('the sample', () => {
  it('has four pairs in each of eleven languages, and no text twice', () => {
    expect(Object.values(SAMPLE_PAIRS).map(({ length }) => length)).toEqual(Array.from({ length: 11 }, () => 4))
    expect(new Set(PAIRS.flatMap(({ question, answer }) => [question, answer])).size).toBe(88)
  })
})

describe('the scale of a model', () => {
  it('is measured in the languages that it knows, once', async () => {
    const model = new SampleModel(['en', 'ko'])
    const scales = new SimilarityScales(new MemoryStorage())
    const both = await Promise.all([scaleOf(scales, model), scaleOf(scales, model)])
    expect(both[0]?.languages).toEqual(['en', 'ko'])
    expect(both[0]?.unrelated).toBeCloseTo(0.2)
    expect(both[0]?.related).toBeCloseTo(1)
    expect(both[1]).toEqual(both[0])
    expect(await scaleOf(scales, model)).toEqual(both[0])
    expect(model.calls).toBe(22)
  })

  it('is measured once for all processes with one storage', async () => {
    const storage = new MemoryStorage()
    const measured = await scaleOf(new SimilarityScales(storage), new SampleModel(['en']))
    const model = new SampleModel(['en'])
    expect(await scaleOf(new SimilarityScales(storage), model)).toEqual(measured)
    expect(model.calls).toBe(0)
  })

  it('is measured each time if the storage cannot be read or written', async () => {
    const fail = async () => await Promise.reject(new Error('the disk is full'))
    const scales = new SimilarityScales({ read: fail, transaction: fail })
    expect((await scaleOf(scales, new SampleModel(['en'])))?.languages).toEqual(['en'])
  })

  it('is none for a model that knows no language of the sample', async () => {
    expect(await scaleOf(new SimilarityScales(new MemoryStorage()), new SampleModel([]))).toBeUndefined()
  })

  it('is none while the model fails, and is measured later', async () => {
    const model = new SampleModel(['en'])
    const scales = new SimilarityScales(new MemoryStorage())
    model.answer = async () => await Promise.reject(new Error('away'))
    expect(await scaleOf(scales, model)).toBeUndefined()
    model.answer = undefined
    expect(await scaleOf(scales, model)).toBeUndefined()
    await vi.advanceTimersByTimeAsync(60_000)
    expect((await scaleOf(scales, model))?.languages).toEqual(['en'])
  })

  it('holds no search for longer than two seconds, and is there for a later one', async () => {
    const model = new SampleModel(['en'])
    const scales = new SimilarityScales(new MemoryStorage())
    let answer: () => void = () => undefined
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    model.answer = async () => await answered
    const first = scaleOf(scales, model)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await first).toBeUndefined()
    answer()
    expect((await scaleOf(scales, model))?.languages).toEqual(['en'])
    expect(model.calls).toBe(22)
  })

  it('ends the wait with the search', async () => {
    const model = new SampleModel(['en'])
    model.answer = async () => await new Promise(() => undefined)
    const caller = new AbortController()
    const waiting = scaleOf(new SimilarityScales(new MemoryStorage()), model, caller.signal)
    const refused = expect(waiting).rejects.toThrow('no longer wanted')
    caller.abort(new Error('no longer wanted'))
    await refused
  })
})
