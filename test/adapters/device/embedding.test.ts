import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeviceEmbeddingModel } from '../../../adapters/device/index.js'
import { bundledModel } from '../../bundled-model.js'
import { childProgram } from '../../child-program.js'
import { leastOfLongestWorkMs } from '../../ingestion/loop-stops.js'
import { temporaryFolder } from '../../temporary-folder.js'

const run = promisify(execFile)

interface ReferenceEmbeddings {
  readonly items: readonly { readonly text: string; readonly vector: readonly number[] }[]
}

const { items } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/reference-embeddings.json'), 'utf8'),
) as ReferenceEmbeddings

describe('the bundled model', () => {
  let model: DeviceEmbeddingModel
  beforeAll(async () => {
    model = await DeviceEmbeddingModel.open(bundledModel)
  })
  afterAll(async () => {
    await model.close()
  })

  it('agrees with the float32 reference, one text per batch', async () => {
    const cosines: number[] = []
    for (const { text, vector } of items) {
      cosines.push(cosine(await model.embed([text], { kind: 'query' }), vector))
    }
    expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.97)
    expect(cosines.sort((one, other) => one - other)[Math.floor(cosines.length / 2)]).toBeGreaterThanOrEqual(0.99)
  })

  it('agrees with the float32 reference, batched', async () => {
    const texts = items.map(({ text }) => text)
    const vectors = await model.embed(texts, { kind: 'passage' })
    items.forEach(({ vector }, row) => {
      expect(cosine(vectors.subarray(row * 384, (row + 1) * 384), vector)).toBeGreaterThanOrEqual(0.95)
    })
  })

  it('gives each text its own vector, for any distribution over threads', async () => {
    const texts = Array.from({ length: 90 }, (_, number) => `${number} ${'of some length '.repeat((number * 7) % 40)}`)
    const vectors = await model.embed(texts, { kind: 'passage' })
    for (const row of [0, 1, 17, 44, 88, 89]) {
      const alone = await model.embed([texts[row] ?? ''], { kind: 'passage' })
      expect(cosine(vectors.subarray(row * 384, (row + 1) * 384), [...alone])).toBeGreaterThan(0.97)
    }
  })

  it('names a text that is too long by its position, and computes the next request', async () => {
    const texts = Array.from({ length: 60 }, (_, number) => 'a passage '.repeat(number === 41 ? 200 : 80))
    await expect(model.embed(texts, { kind: 'passage' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringContaining('texts[41]') as string,
    })
    expect((await model.embed(['some text'], { kind: 'passage' })).length).toBe(384)
  })

  it('stops at once when a call is aborted, whether it is computed or waits', async () => {
    const passages = Array.from({ length: 80 }, (_, number) => `${number} ${'of some length '.repeat(60)}`)
    const controllers = [new AbortController(), new AbortController()]
    const embedded = controllers.map(({ signal }) => model.embed(passages, { kind: 'passage', signal }))
    const began = performance.now()
    for (const controller of controllers) controller.abort(new Error('enough'))
    for (const outcome of await Promise.allSettled(embedded)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'enough' } })
    }
    await model.embed(['a question'], { kind: 'passage' })
    // All of them together would take seconds.
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('computes passages that had to wait for queries', async () => {
    const folder = await temporaryFolder()
    await cp(bundledModel, join(folder.path, 'waiting'), { recursive: true })
    // These queries load the model first: no thread has it yet, and each is busy when the passage comes.
    const fresh = await DeviceEmbeddingModel.open(join(folder.path, 'waiting'))
    const queries = Array.from({ length: 24 }, (_, number) => fresh.embed([`question ${number}`], { kind: 'query' }))
    const passages = Array.from({ length: 6 }, (_, number) => fresh.embed([`passage ${number}`], { kind: 'passage' }))
    const vectors = await Promise.all([...queries, ...passages])
    expect(vectors.map(({ length }) => length)).toEqual(vectors.map(() => 384))
    await fresh.close()
    await folder.remove()
  })

  it('keeps no memory of texts that it has embedded, even when a caller keeps the signals', async () => {
    const { signal } = new AbortController()
    const kept: WeakRef<Float32Array>[] = []
    for (let call = 0; call < 6; call += 1) {
      kept.push(new WeakRef(await model.embed([`passage ${call}`], { kind: 'passage', signal })))
    }
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      globalThis.gc?.()
    }
    expect(kept.slice(0, 5).filter((one) => one.deref() !== undefined)).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('lets a query overtake passages that wait', async () => {
    const order: string[] = []
    const passages = model
      .embed(
        Array.from({ length: 60 }, (_, number) => `passage ${number} ${'of some length '.repeat(50)}`),
        { kind: 'passage' },
      )
      .then(() => order.push('passages'))
    const query = model.embed(['a question'], { kind: 'query' }).then(() => order.push('query'))
    await Promise.all([passages, query])
    expect(order).toEqual(['query', 'passages'])
  })

  it('does not block the event loop of its host while it embeds', async () => {
    const passages = Array.from({ length: 24 }, (_, number) => `${number} ${'a long passage '.repeat(80)}`)
    expect(await leastOfLongestWorkMs(() => model.embed(passages, { kind: 'passage' }))).toBeLessThan(50)
  })

  it('does not block the event loop of its host at the first use of its tokenizer', async () => {
    const child = await childProgram(join(import.meta.dirname, 'first-tokenizer-child.ts'))
    const rounds: number[] = []
    // The minimum counts, because a garbage collection may fall into one of the measurements.
    while (rounds.length < 3 || (rounds.length < 8 && Math.min(...rounds) >= 45)) {
      rounds.push(Number((await run(process.execPath, [child, bundledModel])).stdout))
    }
    expect(Math.min(...rounds)).toBeLessThan(45)
  })

  it('loads beside others, each from its own folder', async () => {
    const folder = await temporaryFolder()
    const names = ['one', 'two', 'three']
    const models = await Promise.all(
      names.map(async (name) => {
        await cp(bundledModel, join(folder.path, name, name), { recursive: true })
        return await DeviceEmbeddingModel.open(join(folder.path, name, name))
      }),
    )
    const [expected] = items
    const vectors = await Promise.all(models.map((each) => each.embed([expected?.text ?? ''], { kind: 'query' })))
    for (const vector of vectors) expect(cosine(vector, expected?.vector ?? [])).toBeGreaterThan(0.97)
    await Promise.all(models.map((each) => each.close()))
    await folder.remove()
  })

  it('has one tokenizer in memory, however many engines use it', async () => {
    const folder = await temporaryFolder()
    await cp(bundledModel, folder.path, { recursive: true })
    const others = [await DeviceEmbeddingModel.open(bundledModel), await DeviceEmbeddingModel.open(folder.path)]
    for (const other of others) expect(await other.tokenizer()).toBe(await model.tokenizer())
    await Promise.all(others.map((other) => other.close()))
    expect((await model.tokenizer()).count('some text')).toBe(2)
    await folder.remove()
  })

  it('opens a second time after it was closed, many times over', async () => {
    for (let round = 0; round < 4; round += 1) {
      const reopened = await DeviceEmbeddingModel.open(bundledModel)
      expect((await reopened.embed(['some text'], { kind: 'query' })).length).toBe(384)
      await reopened.close()
    }
    expect((await model.embed(['some text'], { kind: 'query' })).length).toBe(384)
  })
})

describe('a model folder', () => {
  it('that is missing is named, with the remedy', async () => {
    await expect(DeviceEmbeddingModel.open('/no/such/folder')).rejects.toMatchObject({
      code: 'ERR_MODEL_MISSING',
      message: expect.stringMatching(/no readable profile\.json, or does not exist: put the model there/) as string,
    })
  })

  it('whose weights are missing is refused at first use, and used once they exist', async () => {
    const folder = await temporaryFolder()
    await cp(bundledModel, folder.path, { recursive: true })
    await rm(join(folder.path, 'onnx'), { recursive: true })
    const model = await DeviceEmbeddingModel.open(folder.path)
    await expect(model.embed(['text'], { kind: 'query' })).rejects.toMatchObject({ code: 'ERR_MODEL_MISSING' })
    await cp(join(bundledModel, 'onnx'), join(folder.path, 'onnx'), { recursive: true })
    expect((await model.embed(['text'], { kind: 'query' })).length).toBe(384)
    await model.close()
    await folder.remove()
  })

  it('whose files have changed is refused at first use', async () => {
    const folder = await temporaryFolder()
    await cp(bundledModel, folder.path, { recursive: true })
    await writeFile(join(folder.path, 'onnx/model_quantized.onnx'), 'not the weights')
    await writeFile(join(folder.path, 'tokenizer.json'), '{}')
    const model = await DeviceEmbeddingModel.open(folder.path)
    await expect(model.embed(['text'], { kind: 'query' })).rejects.toMatchObject({ code: 'ERR_MODEL_CHANGED' })
    await expect(model.tokenizer()).rejects.toMatchObject({ code: 'ERR_MODEL_CHANGED' })
    await model.close()
    await folder.remove()
  })

  it('whose profile is not valid is refused with the field', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder.path, 'profile.json'), JSON.stringify({ id: 'x', dimensions: 'many' }))
    await expect(DeviceEmbeddingModel.open(folder.path)).rejects.toMatchObject({
      code: 'ERR_MODEL_CHANGED',
      message: expect.stringContaining('dimensions') as string,
    })
    await folder.remove()
  })
})

function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let dot = 0
  let oneSquared = 0
  let otherSquared = 0
  for (let index = 0; index < one.length; index += 1) {
    dot += (one[index] ?? 0) * (other[index] ?? 0)
    oneSquared += (one[index] ?? 0) ** 2
    otherSquared += (other[index] ?? 0) ** 2
  }
  return dot / Math.sqrt(oneSquared * otherSquared)
}
