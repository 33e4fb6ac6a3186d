import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeviceEmbeddingModel, profileOf, writeProfile } from '../../../adapters/device/index.js'
import { bundledModel } from '../../bundled-model.js'
import { embeddingModelSuite } from '../../conformance/index.js'
import {
  copyForLibrary,
  type GraphChanges,
  type TinyModelKind,
  tinyGraph,
  writeModelFiles,
  writeTinyModel,
} from '../../fixtures/tiny-models.js'
import { leastOfLongestWorkMs } from '../../ingestion/loop-stops.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { reused } from '../reused.js'

const KINDS: readonly TinyModelKind[] = ['unigram', 'bpe']

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  for (const kind of KINDS) await writeTinyModel(join(folder.path, kind), kind)
})
afterAll(async () => {
  await folder.remove()
})

for (const kind of KINDS) {
  embeddingModelSuite(
    { describe, it },
    `device, a ${kind} model of the tests`,
    reused(async () => await DeviceEmbeddingModel.open(join(folder.path, kind))),
  )
}

embeddingModelSuite(
  { describe, it },
  'device, the bundled model with the tokenizer of the library',
  reused(async () => {
    await copyForLibrary(bundledModel, join(folder.path, 'word-piece'))
    return await DeviceEmbeddingModel.open(join(folder.path, 'word-piece'))
  }),
)

describe('the bundled model', () => {
  const { items } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../fixtures/reference-embeddings.json'), 'utf8'),
  ) as { readonly items: readonly { readonly text: string; readonly vector: readonly number[] }[] }

  it('has the same vectors with both tokenizers', async () => {
    const copy = join(folder.path, 'copy')
    await copyForLibrary(bundledModel, copy)
    const models = [await DeviceEmbeddingModel.open(bundledModel), await DeviceEmbeddingModel.open(copy)] as const
    const cosines: number[] = []
    for (const { text, vector } of items) {
      const [one, other] = await Promise.all(models.map((model) => model.embed([text], { kind: 'query' })))
      expect(cosine(one ?? [], other ?? [])).toBeGreaterThanOrEqual(0.97)
      cosines.push(cosine(other ?? [], vector))
    }
    expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.97)
    await Promise.all(models.map((model) => model.close()))
  })
})

describe('a model of any tokenizer', () => {
  it('reads its prefixes from its own files, and puts them before texts', async () => {
    const model = await DeviceEmbeddingModel.open(join(folder.path, 'unigram'))
    expect(model.profile).toMatchObject({ queryPrefix: 'query: ', passagePrefix: 'passage: ', windowTokens: 128 })
    const [query, passage] = await Promise.all([
      model.embed(['ship weeks'], { kind: 'query' }),
      model.embed(['ship weeks'], { kind: 'passage' }),
    ])
    expect(cosine(query, passage)).toBeLessThan(0.999)
    await model.close()
  })

  it.each(KINDS)(
    'gives the first components, cut before they are normalised, for a profile that asks for fewer: %s',
    async (kind) => {
      const path = join(folder.path, `short-${kind}`)
      await cp(join(folder.path, kind), path, { recursive: true })
      const whole = await DeviceEmbeddingModel.open(join(folder.path, kind))
      await writeProfile(path, await profileOf(path, { dimensions: 16 }))
      const short = await DeviceEmbeddingModel.open(path)
      expect(short.profile).toMatchObject({ dimensions: 16, normalized: true })
      expect(short.profile.fingerprint).not.toBe(whole.profile.fingerprint)
      const texts = ['weeks in the harbour', 'ship', ...new Array<string>(40).fill('word weeks')]
      const [vectors, expected] = [
        await short.embed(texts, { kind: 'passage' }),
        await whole.embed(texts, { kind: 'passage' }),
      ]
      expect(vectors.length).toBe(texts.length * 16)
      for (const row of texts.keys()) {
        const vector = vectors.subarray(row * 16, (row + 1) * 16)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
        expect(cosine(vector, expected.subarray(row * 48, row * 48 + 16))).toBeGreaterThan(0.999)
      }
      await Promise.all([short.close(), whole.close()])
    },
  )

  it('whose profile asks for more dimensions than the graph gives is refused', async () => {
    const path = join(folder.path, 'long')
    await cp(join(folder.path, 'bpe'), path, { recursive: true })
    await writeProfile(path, { ...(await profileOf(path)), dimensions: 64 })
    await expect(DeviceEmbeddingModel.open(path)).rejects.toMatchObject({
      code: 'ERR_MODEL_CHANGED',
      message: expect.stringMatching(
        /dimensions is 64, and the model gives vectors of 48: write 48, or fewer/,
      ) as string,
    })
  })

  it('embeds a text whose words fill the window, though its line breaks have tokens too', async () => {
    const model = await DeviceEmbeddingModel.open(join(folder.path, 'bpe'))
    const tokenizer = await model.tokenizer()
    const room = model.profile.windowTokens - tokenizer.specialTokens
    const text = new Array<string>(room).fill('word').join('\n\n\n')
    expect(tokenizer.count(text)).toBe(room)
    expect((await model.embed([text], { kind: 'passage' })).length).toBe(model.profile.dimensions)
    await expect(model.embed([`${text} word`], { kind: 'passage' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
    })
    await model.close()
  })

  it('names a text that is too long by its position', async () => {
    const model = await DeviceEmbeddingModel.open(join(folder.path, 'bpe'))
    const texts = Array.from({ length: 160 }, (_, row) => 'word '.repeat(row === 146 ? 300 : 20))
    await expect(model.embed(texts, { kind: 'passage' })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(/^texts\[146\]: has more tokens than the model's window of 128/) as string,
    })
    await model.close()
  })

  it('keeps the order of many texts, and lets a query overtake them', async () => {
    const model = await DeviceEmbeddingModel.open(join(folder.path, 'bpe'))
    const texts = Array.from({ length: 300 }, (_, row) => `word ${row} ${'weeks in the harbour '.repeat(row % 9)}`)
    await model.embed(['load it'], { kind: 'query' })
    const order: string[] = []
    const passages = model.embed(texts, { kind: 'passage' }).finally(() => order.push('passages'))
    const query = model.embed(['a question'], { kind: 'query' }).finally(() => order.push('query'))
    const vectors = await passages
    await query
    expect(order).toEqual(['query', 'passages'])
    for (const row of [0, 63, 64, 127, 128, 299]) {
      const alone = await model.embed([texts[row] ?? ''], { kind: 'passage' })
      expect(cosine(alone, vectors.subarray(row * 48, (row + 1) * 48))).toBeGreaterThan(0.999)
    }
    await model.close()
  })

  it('stops at once when a call is aborted', async () => {
    const model = await DeviceEmbeddingModel.open(join(folder.path, 'unigram'))
    const controller = new AbortController()
    const texts = Array.from({ length: 400 }, (_, row) => `${row} ${'weeks in the harbour '.repeat(12)}`)
    const embedded = model.embed(texts, { kind: 'passage', signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 5)
    await expect(embedded).rejects.toThrow('enough')
    expect((await model.embed(['next'], { kind: 'query' })).length).toBe(model.profile.dimensions)
    await model.close()
  })

  it.each(KINDS)(
    'does not block the event loop of its host while it loads, reads words and embeds: %s',
    async (kind) => {
      let round = 0
      const longest = await leastOfLongestWorkMs(async () => {
        round += 1
        const model = await DeviceEmbeddingModel.open(join(folder.path, kind))
        const tokenizer = await model.tokenizer()
        for (let part = 0; part < 6; part += 1) {
          // As long as the parts that the chunker reads; each third word is new.
          const words = Array.from({ length: 1_150 }, (_, word) =>
            word % 3 === 0 ? `w${round}x${part}y${word}` : 'harbour',
          )
          tokenizer.split(words.join(' ').slice(0, 8_192))
          await new Promise((resolve) => setImmediate(resolve))
        }
        await model.embed(new Array<string>(40).fill('weeks in the harbour '.repeat(8)), { kind: 'passage' })
        await model.close()
      })
      expect(longest).toBeLessThan(50)
    },
  )

  it.each<[string, GraphChanges, RegExp]>([
    ['a newer operator set', { operatorSet: 20 }, /operator set up to 18.*Opset 20 is under development/],
    ['a newer format', { irVersion: 10 }, /Unsupported model IR version: 10, max supported IR version: 8$/],
    ['an operator that is missing', { lastOperator: 'RotaryEmbedding' }, /No Op registered for RotaryEmbedding/],
    ['no vectors of tokens', { output: 'logits' }, /it has no output "last_hidden_state" or "token_embeddings"/],
  ])('whose graph has %s is refused with the reason', async (_, changes, reason) => {
    const path = join(folder.path, `graph-${Object.values(changes).join('')}`)
    await writeTinyModel(path, 'unigram')
    await writeModelFiles(path, { 'onnx/model_quantized.onnx': tinyGraph(2_000, changes) })
    const model = await DeviceEmbeddingModel.open(path)
    await expect(model.embed(['text'], { kind: 'query' })).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringMatching(reason) as string,
    })
    await model.close()
  })

  it('has a tokenizer without any other package', async () => {
    const alone = join(folder.path, 'alone')
    await cp(join(import.meta.dirname, '../../../dist'), join(alone, 'dist'), { recursive: true })
    await writeModelFiles(alone, { 'package.json': { type: 'module' } })
    const program = `import('./dist/adapters/device/index.js').then(async ({ openTokenizer }) => {
      const tokenizer = await openTokenizer(${JSON.stringify(join(folder.path, 'bpe'))})
      console.log(tokenizer.count('harbour'))
      await tokenizer.close()
    })`
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program], { cwd: alone })
    expect(Number(stdout)).toBeGreaterThan(0)
  })

  it('without its config.json, which has the id of padding, is refused', async () => {
    const path = join(folder.path, 'no-config')
    await writeTinyModel(path, 'bpe')
    await (await DeviceEmbeddingModel.open(path)).close()
    await rm(join(path, 'config.json'))
    await expect(DeviceEmbeddingModel.open(path)).rejects.toMatchObject({
      code: 'ERR_MODEL_MISSING',
      message: expect.stringContaining('config.json') as string,
    })
  })

  it('whose tokenizer the library cannot read is refused with the reason', async () => {
    const path = join(folder.path, 'odd-tokenizer')
    await writeTinyModel(path, 'bpe')
    await writeModelFiles(path, {
      'tokenizer.json': {
        added_tokens: [],
        normalizer: null,
        pre_tokenizer: { type: 'Unheard' },
        model: { type: 'BPE' },
        post_processor: null,
        decoder: null,
      },
    })
    const model = await DeviceEmbeddingModel.open(path)
    await expect(model.tokenizer()).rejects.toMatchObject({
      code: 'ERR_MODEL_UNSUPPORTED',
      message: expect.stringContaining('Unheard') as string,
    })
    await expect(model.embed(['text'], { kind: 'query' })).rejects.toMatchObject({ code: 'ERR_MODEL_UNSUPPORTED' })
    await model.close()
  })
})

function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let [dot, oneSquared, otherSquared] = [0, 0, 0]
  for (let index = 0; index < one.length; index += 1) {
    const [left, right] = [one[index] ?? 0, other[index] ?? 0]
    dot += left * right
    oneSquared += left * left
    otherSquared += right * right
  }
  return dot / Math.sqrt(oneSquared * otherSquared)
}
