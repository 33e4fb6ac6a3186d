import { afterEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { ContextSearchResult, ContextSettings, EngineOptions, Session } from '../../../src/index.js'
import type { EmbedOptions } from '../../../src/ports/index.js'
import { sized } from '../../full-form.js'
import { seededRandom } from '../../seeded-random.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { HeardStorage } from './heard-storage.js'

/** Counts the prompts that it embeds. */
class CountingModel extends MemoryEmbeddingModel {
  prompts = 0

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'query') this.prompts += 1
    return await super.embed(texts, options)
  }
}

let memory: MemoryEngine
let session: Session

async function start(overrides: Partial<EngineOptions> = {}): Promise<void> {
  memory = await memoryEngine(overrides)
  session = memory.session
}

afterEach(async () => {
  await memory.engine.close()
})

/** Creates a context with these texts, each in a document. */
async function newContext(texts: readonly string[], settings: ContextSettings = {}): Promise<number> {
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 64, ...settings } })
  // One name for all: the words of a name count, too.
  for (const text of texts) await uploadText(session, id, 'text.txt', text)
  return id
}

const contextsOf = (results: readonly ContextSearchResult[]): number[] => results.map(({ contextId }) => contextId)

describe('a search of several contexts', () => {
  it.each(['hybrid', 'keyword', 'semantic'] as const)(
    'finds in parts of a corpus what it finds in the whole (%s)',
    async (mode) => {
      await start()
      const random = seededRandom(11)
      // Words whose frequencies fall as in a natural language.
      const words = (count: number): string[] => Array.from({ length: count }, () => `w${Math.floor(900 ** random())}`)
      const texts = Array.from({ length: 80 }, () => words(12 + Math.floor(random() * 40)).join(' '))
      const whole = await newContext(texts)
      const parts = [
        await newContext(texts.slice(0, 5)),
        await newContext(texts.slice(5, 20)),
        await newContext(texts.slice(20, 50)),
        await newContext(texts.slice(50)),
      ]
      let [same, wanted] = [0, 0]
      for (let round = 0; round < sized(16, 40); round += 1) {
        const prompt = words(2 + Math.floor(random() * 5)).join(' ')
        const expected = await session.search(whole, prompt, { mode, topN: 10 })
        const joined = await session.searchAll(parts, prompt, { mode, topN: 10 })
        const contents = new Set(joined.map(({ content }) => content))
        same += expected.filter(({ content }) => contents.has(content)).length
        wanted += expected.length
        // The best of the whole has the same score in its part.
        if (joined[0]?.content === expected[0]?.content) {
          expect(joined[0]?.score ?? 0).toBeCloseTo(expected[0]?.score ?? 0, 5)
        }
      }
      expect(wanted).toBeGreaterThan(100)
      expect(same / wanted).toBeGreaterThanOrEqual(0.99)
    },
  )

  it('finds in one context what a search of it finds', async () => {
    await start()
    const id = await newContext(['Parental leave takes eighteen weeks.', 'The canteen opens at eleven.'])
    const alone = await session.search(id, 'parental leave')
    const expected = alone.map((result) => ({ contextId: id, ...result }))
    expect(await session.searchAll([id], 'parental leave')).toEqual(expected)
    expect(await session.searchAll([id, id, id], 'parental leave')).toEqual(expected)
  })

  it('says the context of each hit, and leaves out contexts with nothing better', async () => {
    await start()
    const leave = await newContext(['Parental leave takes eighteen weeks.', 'Unpaid leave needs a form.'])
    const pumps = await newContext(['The pump needs a gasket.'])
    const empty = await newContext([])
    const results = await session.searchAll([empty, pumps, leave], 'How long is parental leave?', { topN: 2 })
    expect(results.map(({ contextId, content }) => [contextId, content])).toEqual([
      [leave, 'Parental leave takes eighteen weeks.'],
      [leave, 'Unpaid leave needs a form.'],
    ])
    expect(results[0]).toMatchObject({ source: { displayName: 'text.txt' }, docId: 1 })
    expect(contextsOf(await session.searchAll([pumps, leave], 'gasket', { mode: 'keyword' }))).toEqual([pumps])
    expect(await session.searchAll([empty], 'gasket')).toEqual([])
  })

  it('embeds the prompt once with each model, and gives each model its turns', async () => {
    const models = ['first', 'second'].map((id) => new CountingModel({ id, fingerprint: `${id}-1` }))
    await start({ embeddingModels: models })
    const texts = ['red apples', 'green apples', 'ripe apples']
    const ids = [
      await newContext(texts, { embeddingModel: 'first' }),
      await newContext(texts, { embeddingModel: 'first' }),
      await newContext(['old engines and wheels', 'brakes'], { embeddingModel: 'second' }),
    ]
    const results = await session.searchAll(ids, 'apples', { topN: 5, mode: 'semantic' })
    expect(models.map(({ prompts }) => prompts)).toEqual([1, 1])
    // Two contexts have the first model, so it gets two places for each further place of the other one.
    expect(contextsOf(results).map((id) => id === ids[2])).toEqual([false, true, false, false, true])
    expect(results.map(({ score }) => score)).toEqual([1, 1, 1 / 1.5, 0.5, 0.5])
    expect(await session.searchAll([...ids].reverse(), 'apples', { topN: 5, mode: 'semantic' })).toEqual(results)
  })

  it('keeps the threshold and the mode of each context unless the call has its own', async () => {
    await start()
    const texts = ['apples pears plums', 'engines wheels brakes']
    const strict = await newContext(texts, { scoreThreshold: 0.9, topN: 1 })
    const byWords = await newContext(texts, { searchMode: 'keyword', topN: 3 })
    const ofContext = async (id: number, options = {}): Promise<string[]> => {
      const results = await session.searchAll([strict, byWords], 'apples pears plums', options)
      return results.filter(({ contextId }) => contextId === id).map(({ content }) => content)
    }
    expect([await ofContext(strict), await ofContext(byWords)]).toEqual([[texts[0]], [texts[0]]])
    expect(await ofContext(strict, { scoreThreshold: 0 })).toEqual(texts)
    expect(await ofContext(byWords, { mode: 'semantic', topN: 10 })).toEqual(texts)
    // The largest topN of the contexts is 3.
    expect(await session.searchAll([strict, byWords], 'apples', { scoreThreshold: 0, mode: 'semantic' })).toHaveLength(
      3,
    )
    expect(await session.searchAll([strict, byWords], 'apples', { topN: 1 })).toHaveLength(1)
  })

  it('finds documents whose vectors are not computed yet by their words, with the others', async () => {
    await start()
    const ids = [await newContext(['red apples']), await newContext(['green apples'])]
    // oxlint-disable-next-line typescript/unbound-method -- called with its model below
    const embed = MemoryEmbeddingModel.prototype.embed
    const release: (() => void)[] = []
    MemoryEmbeddingModel.prototype.embed = async function (texts, options) {
      if (options.kind === 'passage' && options.isUrgent !== true) {
        await new Promise<void>((resolve) => release.push(resolve))
      }
      return await embed.call(this, texts, options)
    }
    try {
      const findable = new Promise((resolve) => memory.engine.on('document.findable', resolve))
      await session.documents.upload(ids[0] ?? 0, { fileName: 'late.txt', content: Buffer.from('ripe apples') })
      await findable
      const results = await session.searchAll(ids, 'ripe apples')
      expect(results[0]).toMatchObject({ contextId: ids[0], content: 'ripe apples' })
      expect(results).toHaveLength(3)
    } finally {
      MemoryEmbeddingModel.prototype.embed = embed
      for (const go of release) go()
    }
  })

  it.each([
    ['no array', 7, 'contextIds: must be an array'],
    ['missing', undefined, 'contextIds: is required'],
    ['empty', [], 'contextIds: must have at least 1 element'],
    ['too long', Array.from({ length: 101 }, (_, at) => at + 1), 'contextIds: must have at most 100 elements'],
    ['with a string', [1, 2, '3'], 'contextIds[2]: must be an integer'],
    ['with 0', [0], 'contextIds[0]: must be an integer, 1 or more'],
  ])('refuses a list of contexts that is %s', async (_what, contextIds, message) => {
    await start()
    await expect(session.searchAll(contextIds as number[], 'text')).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message,
    })
  })

  it('gives all or nothing: a context that the caller cannot read is not found', async () => {
    await start()
    const { administration, owner } = memory.engine
    const ids = [await newContext(['red apples']), await newContext(['green apples'])]
    await expect(session.searchAll([...ids, 999], 'apples')).rejects.toMatchObject({
      code: 'ERR_CONTEXT_NOT_FOUND',
      message: 'no context with the id 999',
    })
    const company = await administration.companies.create({ name: 'Other', parentId: 1 })
    const key = await administration.apiKeys.create({ companyId: company.id })
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const other = memory.engine.as({ ...owner, companyId: company.id, accountId: account?.id ?? 0, userId: key.userId })
    const own = await other.contexts.create(NEW_CONTEXT)
    expect(await other.searchAll([own.id], 'apples')).toEqual([])
    await expect(other.searchAll([own.id, ids[0] ?? 0], 'apples')).rejects.toMatchObject({
      code: 'ERR_CONTEXT_NOT_FOUND',
      message: `no context with the id ${ids[0]}`,
    })
    await session.contexts.delete(ids[1] ?? 0)
    await expect(session.searchAll(ids, 'apples')).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
  })

  it('takes one place among the searches in progress, and gives it back', async () => {
    await start({ limits: { searchesPerKey: 1 } })
    const ids: number[] = []
    for (let at = 0; at < 5; at += 1) ids.push(await newContext([`apples ${at}`]))
    const running = session.searchAll(ids, 'apples')
    await expect(session.searchAll(ids, 'apples')).rejects.toMatchObject({ code: 'ERR_THROTTLED' })
    expect(await running).toHaveLength(5)
    expect(await session.searchAll(ids, 'apples')).toHaveLength(5)
  })

  it.each(['hybrid', 'semantic', 'keyword'] as const)('ends with the abort in each of its steps (%s)', async (mode) => {
    const storage = new HeardStorage()
    await start({ storage })
    const ids = [await newContext(['red apples']), await newContext(['green apples'])]
    const searchAll = async (signal?: AbortSignal): Promise<ContextSearchResult[]> =>
      await storage.heard.run(true, () => session.searchAll(ids, 'apples', { mode, ...(signal && { signal }) }))
    expect(await searchAll()).toHaveLength(2)
    // The last steps read the texts of the found chunks.
    const steps = storage.reads - 5
    expect(steps).toBeGreaterThan(2)
    for (let step = 1; step <= steps; step += 1) {
      const caller = new AbortController()
      storage.reads = 0
      storage.onRead = () => {
        if (storage.reads === step) caller.abort(new Error('no longer wanted'))
      }
      await expect(searchAll(caller.signal)).rejects.toThrow('no longer wanted')
    }
    await expect(searchAll(AbortSignal.abort(new Error('not even begun')))).rejects.toThrow('not even begun')
  })

  it('searches a context again whose chunk is deleted before its text is read', async () => {
    const storage = new HeardStorage()
    await start({ storage })
    const ids = [await newContext(['red apples', 'many apples']), await newContext(['green apples'])]
    const searchAll = async (): Promise<ContextSearchResult[]> =>
      await storage.heard.run(true, () => session.searchAll(ids, 'red apples', { topN: 1 }))
    const [best] = await session.searchAll(ids, 'red apples', { topN: 1 })
    expect(best?.content).toBe('red apples')
    await searchAll()
    const reads = storage.reads
    storage.reads = 0
    let deleted: Promise<unknown> | undefined
    storage.onRead = () => {
      // The last two reads check the rights and read the text.
      if (storage.reads !== reads - 2 || deleted !== undefined) return
      deleted = storage.heard.run(false, () => session.documents.delete({ contextId: ids[0] ?? 0, id: 1 }))
    }
    storage.beforeRead = async () => await deleted
    const results = await searchAll()
    expect(deleted).toBeDefined()
    expect(results.map(({ content }) => content)).toEqual(['many apples'])
  })

  it('streams large texts in the same order, and checks the rights meanwhile', async () => {
    await start()
    const long = (word: string): string => `${word} ${'filler '.repeat(6_000)}`
    const settings = { chunkSizeTokens: 8_192, overlap: 0 }
    const ids = [
      await newContext([long('apples'), long('pears')], settings),
      await newContext([long('apples'), long('plums')], settings),
    ]
    const whole = await session.searchAll(ids, 'apples filler')
    const entries = await session.searchAllEntries(ids, 'apples filler')
    expect('length' in entries).toBe(false)
    const streamed: ContextSearchResult[] = []
    for await (const result of entries) streamed.push(result)
    expect(streamed).toEqual(whole)
    const short = await session.searchAllEntries(ids, 'apples filler', { topN: 1 })
    expect(Array.isArray(short) && short.length).toBe(1)
    const cut = await session.searchAllEntries(ids, 'apples filler')
    await session.contexts.delete(ids[1] ?? 0)
    const read = async (): Promise<void> => {
      for await (const { contextId } of cut) expect(contextId).toBe(ids[0])
    }
    await expect(read()).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
  })

  it('refuses contexts that are no list, before anything reads them', async () => {
    await start()
    const refused = { code: 'ERR_INVALID_INPUT', field: 'contextIds' }
    for (const ids of [undefined, null, 7, []] as readonly unknown[] as readonly (readonly number[])[]) {
      await expect(session.searchAllEntries(ids, 'apples')).rejects.toMatchObject(refused)
      await expect(session.searchAll(ids, 'apples')).rejects.toMatchObject(refused)
    }
  })
})
