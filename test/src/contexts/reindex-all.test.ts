import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { ContextReindexProgress, Engine, Session } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const TEXTS = { description: '', caption: '', toolsJson: '[]' }
const TEXT = Array.from({ length: 40 }, (_, item) => `Lamp ${item} stands in room ${item}.`).join(' ')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let engine: Engine
let session: Session

beforeEach(async () => {
  folder = await temporaryFolder()
  engine = await openLocalEngine({
    dataDir: folder.path,
    embeddingModels: [new MemoryEmbeddingModel(), new MemoryEmbeddingModel({ id: 'other', fingerprint: 'other' })],
  })
  session = engine.as(engine.owner)
})

afterEach(async () => {
  await engine.close()
  await folder.remove()
})

async function newContext(name: string, documents: number): Promise<number> {
  const { id } = await session.contexts.create({ name, ...TEXTS })
  for (let item = 0; item < documents; item += 1) {
    const uuid = await session.documents.upload(id, { fileName: `${item}.txt`, content: `${item}. ${TEXT}` })
    await session.documents.whenProcessed(uuid)
  }
  return id
}

async function statesOf(run: AsyncIterable<ContextReindexProgress>): Promise<Record<string, string>> {
  const states: Record<string, string> = {}
  for await (const { name, state, documentsDone } of run) states[name] = `${state} ${documentsDone}`
  return states
}

describe('administration.reindexAll', () => {
  it('re-indexes each context, and passes over those that have the settings', async () => {
    const [first] = [await newContext('two documents', 2), await newContext('none', 0), await newContext('one', 1)]
    const settings = { embeddingModel: 'other', chunkSizeTokens: 64 }
    const run = await statesOf(engine.administration.reindexAll(settings))
    expect(run).toEqual({ 'two documents': 'done 2', none: 'done 0', one: 'done 1' })
    expect(await session.contexts.settings(first)).toMatchObject({ ...settings, overlap: 0.2, reindexing: null })
    const [hit] = await session.search(first, 'lamp 39', { topN: 1, mode: 'semantic' })
    expect(hit?.content).toContain('Lamp 39')
    const again = await statesOf(engine.administration.reindexAll(settings))
    expect(again).toEqual({ 'two documents': 'unchanged 2', none: 'unchanged 0', one: 'unchanged 1' })
  })

  it('ends once the documents of one run are re-indexed, and goes on in the next run', async () => {
    await newContext('first', 2)
    const second = await newContext('second', 1)
    const settings = { embeddingModel: 'other' }
    expect(Object.keys(await statesOf(engine.administration.reindexAll(settings, { maxDocuments: 2 })))).toEqual([
      'first',
    ])
    expect(await session.contexts.settings(second)).toMatchObject({ embeddingModel: 'memory', reindexing: null })
    const rest = await statesOf(engine.administration.reindexAll(settings))
    expect(rest['second']).toBe('done 1')
  })

  it('records who did it', async () => {
    const id = await newContext('audited', 1)
    await statesOf(engine.administration.reindexAll({ chunkSizeTokens: 64 }))
    const { items } = await engine.administration.audit.list({ action: 'context.updated' })
    expect([...items]).toMatchObject([{ targetId: id, actor: { kind: 'host' } }])
  })

  it.each([
    [{ embeddingModel: 'gpt' }, 'ERR_MODEL_UNKNOWN'],
    [{ chunkSizeTokens: 1 }, 'ERR_INVALID_INPUT'],
    [{ topN: 3 }, 'ERR_INVALID_INPUT'],
  ])('refuses %j before anything starts', async (settings: object, code) => {
    const id = await newContext('kept', 1)
    await expect(statesOf(engine.administration.reindexAll(settings))).rejects.toMatchObject({ code })
    expect(await session.contexts.settings(id)).toMatchObject({ embeddingModel: 'memory', reindexing: null })
  })
})
