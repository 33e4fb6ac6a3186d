import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { HistoryMessage, SearchResult, Session } from '../../../src/index.js'
import type { EmbedOptions } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

/** Keeps the texts of prompts that it embeds. */
class HeardModel extends MemoryEmbeddingModel {
  readonly prompts: string[] = []

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'query') this.prompts.push(...texts)
    return await super.embed(texts, options)
  }
}

const DOCUMENTS = {
  'leave.txt': 'New parents get eighteen weeks of parental leave with full pay.',
  'canteen.txt': 'The canteen opens at noon and serves soup to all colleagues who come late.',
  'pumps.txt': 'The gasket of the pump HC-2040 is replaced every six months by the workshop.',
}
const QUESTION = 'How long is parental leave?'
const INSTRUCTIONS =
  'You answer customers in short and polite sentences. Mention the name of the file and the page. Use plain words. ' +
  'Do not repeat what was asked.'
const LONG_TEXT = 'Yesterday somebody told me a long and winding story about boats and harbours. '.repeat(400)

let model: HeardModel
let memory: MemoryEngine
let session: Session
let id: number

beforeEach(async () => {
  model = new HeardModel()
  memory = await memoryEngine({ embeddingModels: [model] })
  session = memory.session
  id = await newContext(DOCUMENTS)
  model.prompts.length = 0
})

afterEach(async () => {
  await memory.engine.close()
})

async function newContext(documents: Readonly<Record<string, string>>): Promise<number> {
  const context = await session.contexts.create(NEW_CONTEXT)
  for (const [name, text] of Object.entries(documents)) await uploadText(session, context.id, name, text)
  return context.id
}

const nameOf = (result: SearchResult | undefined): string | undefined => result?.source.originalName
const said = (...contents: readonly string[]): HistoryMessage[] =>
  contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }))

describe('a prompt with two questions', () => {
  it.each(['hybrid', 'keyword'] as const)(
    'shows in each hit what answers the question that found it (%s)',
    async (mode) => {
      const contextId = await newContext({
        'pump.txt': 'The warranty of the pump is two years, and the warranty of the hose one year.',
        'crane.txt': 'The crane has a warranty of its own. Its gearbox needs synthetic oil of the grade seven.',
        'canteen.txt': DOCUMENTS['canteen.txt'],
      })
      const prompt = 'How long is the warranty of the pump and of the hose? Which oil does the gearbox need?'
      const hits = await session.search(contextId, prompt, { mode, topN: 2 })
      const passages = new Map(hits.map((hit) => [nameOf(hit), hit.content.slice(hit.match.start, hit.match.end)]))
      expect(passages.get('pump.txt')).toContain('warranty of the pump')
      expect(passages.get('crane.txt')).toContain('gearbox needs synthetic oil')
      const { hits: explained, words } = await session.explain(contextId, prompt, { mode, topN: 2 })
      expect(explained.map(({ words: { score } }) => score > 0)).toEqual([true, true])
      expect(words.map(({ word }) => word)).toEqual(expect.arrayContaining(['warranty', 'gearbox']))
    },
  )
})

describe('a long prompt', () => {
  it.each(['hybrid', 'keyword'] as const)('finds what its best part asks for (%s)', async (mode) => {
    for (const prompt of [
      `${INSTRUCTIONS} ${QUESTION}`,
      `${QUESTION}\n${INSTRUCTIONS}`,
      `${INSTRUCTIONS}\n${QUESTION}\n${INSTRUCTIONS}`,
    ]) {
      const [best] = await session.search(id, prompt, { mode })
      expect(nameOf(best)).toBe('leave.txt')
      expect(best?.content.slice(best.match.start, best.match.end)).toContain('parental leave')
    }
  })

  it('finds the answers of both of its questions', async () => {
    const prompt = `${QUESTION} And how often is the gasket of the pump replaced?`
    const results = await session.search(id, prompt, { topN: 2, mode: 'keyword' })
    expect(results.map(nameOf).sort()).toEqual(['leave.txt', 'pumps.txt'])
  })

  it('is embedded as a whole and by the part that decides, and nothing else', async () => {
    await session.search(id, `${INSTRUCTIONS} ${QUESTION}`)
    expect(model.prompts).toEqual([`${INSTRUCTIONS} ${QUESTION}`, QUESTION])
    model.prompts.length = 0
    await session.search(id, `${LONG_TEXT}${QUESTION}`)
    expect(model.prompts).toHaveLength(2)
    expect(model.prompts.at(-1)).toBe(QUESTION)
  })

  it('of one part is embedded once', async () => {
    await session.search(id, QUESTION)
    expect(model.prompts).toEqual([QUESTION])
  })

  it.each(['hybrid', 'keyword', 'semantic'] as const)('of 32,000 characters is answered (%s)', async (mode) => {
    const prompt = `${LONG_TEXT.slice(0, 31_900)}\n${QUESTION}`
    const [best] = await session.search(id, prompt, { mode })
    expect(best).toBeDefined()
    if (mode !== 'semantic') expect(nameOf(best)).toBe('leave.txt')
  })

  it('decides for all contexts of a search together', async () => {
    const other = await newContext({ 'rules.txt': 'Customers wait at the counter, where words stay polite.' })
    for (const contextIds of [
      [id, other],
      [other, id],
    ]) {
      const [best] = await session.searchAll(contextIds, `${INSTRUCTIONS} ${QUESTION}`, { mode: 'keyword' })
      expect([best?.contextId, nameOf(best)]).toEqual([id, 'leave.txt'])
    }
  })

  it('is explained part by part', async () => {
    const { parts, hits } = await session.explain(id, `${INSTRUCTIONS} ${QUESTION}`)
    expect(parts).toHaveLength(5)
    expect(parts.filter(({ decides }) => decides)).toMatchObject([{ text: QUESTION, isQuestion: true }])
    for (const { score, maximum } of parts) expect(score).toBeLessThanOrEqual(maximum)
    expect(hits.find(({ source }) => source.originalName === 'leave.txt')?.words.rank).toBe(1)
    expect((await session.explain(id, QUESTION)).parts).toEqual([])
  })

  it.each([
    ['English', LONG_TEXT],
    ['Russian', 'Вчера мне рассказали длинную историю о кораблях и гаванях. '.repeat(600)],
    ['Chinese', '昨天有人给我讲了一个关于船只和港口的漫长故事。'.repeat(1_500)],
  ])('in %s needs no budget of its own to reach the model of a chat with passages', async (_language, text) => {
    const question = `${text.slice(0, 31_900)}\n${QUESTION}`
    const { messages, sources, tokens } = await session.prepare(id, question)
    expect(messages.at(-1)?.content).toContain(question)
    expect(sources[0]?.originalName).toBe('leave.txt')
    const { tokens: least } = await session.prepare(await newContext({}), question)
    expect(tokens).toBeLessThanOrEqual(least + 4_000)
    await expect(session.prepare(id, question, { maxTokens: least - 1 })).rejects.toThrow(
      `maxTokens: must be at least ${least}, the tokens`,
    )
  })

  it('reaches the model of a chat as it is', async () => {
    const question = `${LONG_TEXT.slice(0, 31_900)}\n${QUESTION}`
    const { messages, sources } = await session.prepare(id, question, { maxTokens: 20_000 })
    expect(messages.at(-1)?.content).toContain(question)
    expect(sources[0]?.originalName).toBe('leave.txt')
  })
})

describe('a prompt with a history', () => {
  const history = said(QUESTION, 'Eighteen weeks.')

  it.each(['hybrid', 'keyword'] as const)('leans on what the user asked before (%s)', async (mode) => {
    const prompt = 'And who gets it?'
    expect(nameOf((await session.search(id, prompt, { mode, history }))[0])).toBe('leave.txt')
    const [all] = await session.searchAll([id, await newContext({})], prompt, { mode, history })
    expect(nameOf(all)).toBe('leave.txt')
  })

  it('does not lean where it says all itself', async () => {
    const prompt = 'How often is the gasket of the pump HC-2040 replaced?'
    expect(nameOf((await session.search(id, prompt, { history }))[0])).toBe('pumps.txt')
  })

  it('finds the same as without one if the user said nothing', async () => {
    const without = await session.search(id, QUESTION)
    expect(await session.search(id, QUESTION, { history: [] })).toEqual(without)
    expect(await session.search(id, QUESTION, { history: [{ role: 'assistant', content: 'soup' }] })).toEqual(without)
  })

  it('is prepared with its history, but not if a complete prompt is given', async () => {
    const firstOf = async (options: object): Promise<string | undefined> =>
      (await session.prepare(id, 'And who gets it?', { history, ...options })).sources[0]?.originalName
    expect(await firstOf({})).toBe('leave.txt')
    expect(await firstOf({ prompt: 'Who gets soup in the canteen?' })).toBe('canteen.txt')
  })

  it('is explained with the words of the history', async () => {
    const { words } = await session.explain(id, 'And who gets it?', { history })
    const leave = words.find(({ term }) => term === 'leave')
    expect(leave).toMatchObject({ word: 'leave', isFromHistory: true, documents: 1 })
    expect(words.find(({ term }) => term === 'gets')).toMatchObject({ isFromHistory: false })
  })

  it.each([
    ['a message without a role', [{ content: 'x' }], 'history[0].role'],
    ['a message of the system', [{ role: 'system', content: 'x' }], 'history[0].role'],
    ['too long messages', Array.from({ length: 11 }, () => ({ role: 'user', content: 'x'.repeat(99_000) })), 'history'],
  ])('refuses %s', async (_name, wrong, field) => {
    await expect(session.search(id, QUESTION, { history: wrong as never })).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      field,
    })
  })
})
