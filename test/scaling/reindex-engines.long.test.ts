import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryLexicalIndex,
  MemoryVectorIndex,
} from '../../adapters/memory/index.js'
import type { EngineOptions, Session } from '../../src/index.js'
import { sized } from '../full-form.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../src/engine/memory-engine.js'
import { DATABASES, type TestDatabase } from '../src/outbox/database.js'

const DOCUMENTS = sized(24, 200)
const ROUNDS = sized(4, 40)

const models = () => [
  new MemoryEmbeddingModel(),
  // Vectors of the two models have different lengths: a search that mixed them would fail.
  new MemoryEmbeddingModel({ id: 'second', fingerprint: 'second-1', dimensions: 32 }),
]

describe.each(DATABASES.filter(({ name }) => name === 'PostgreSQL'))('two engines on $name', ({ open }) => {
  let database: TestDatabase
  let engines: readonly MemoryEngine[]

  beforeEach(async () => {
    database = await open()
    const shared = {
      vectorIndex: new MemoryVectorIndex(),
      lexicalIndex: new MemoryLexicalIndex(),
      fileStore: new MemoryFileStore(),
      isShared: true,
    }
    const start = async () => await memoryEngine({ ...shared, storage: database.storage(), embeddingModels: models() })
    engines = [await start(), await start()]
  })

  afterEach(async () => {
    for (const { engine } of engines) await engine.close()
    await database.dispose()
  })

  it('leave documents of a model that one of them lacks to the other one', async () => {
    for (const { engine } of engines) await engine.close()
    const { vectorIndex, lexicalIndex, fileStore } = engines[0] ?? expect.fail()
    const start = async (options: Partial<EngineOptions>) => {
      const shared = { vectorIndex, lexicalIndex, fileStore, isShared: true }
      return await memoryEngine({ ...shared, storage: database.storage(), embeddingModels: models(), ...options })
    }
    // The first one processes documents, and lacks the second model. The second one processes none.
    const older = await start({ embeddingModels: [new MemoryEmbeddingModel()] })
    const newer = await start({ roles: [] })
    engines = [older, newer]
    const { contexts, documents } = newer.session
    const contextId = (await contexts.create(NEW_CONTEXT)).id
    const uuid = await uploadText(newer.session, contextId, 'a.txt', 'The heron nests in reeds.')
    await contexts.update(contextId, { settings: { embeddingModel: 'second' } })
    const hasWaited = () =>
      older.telemetry.events.some(({ name, error }) => name === 'jobs.failed' && String(error).includes('second'))
    await expect.poll(hasWaited, { timeout: 10_000 }).toBe(true)
    expect((await contexts.settings(contextId)).reindexing).toMatchObject({ documentsDone: 0, error: null })
    engines = [older, newer, await start({})]
    expect(await contexts.whenReindexed(contextId)).toMatchObject({ embeddingModel: 'second', reindexing: null })
    expect((await documents.get(uuid)).chunks).toBe(1)
  })

  it(
    're-index a context while documents are searched, replaced, added and deleted',
    async () => {
      const [one, other] = engines.map(({ session }) => session)
      if (one === undefined || other === undefined) throw new Error('there are two engines')
      const settings = { scoreThreshold: 0, topN: 100 }
      const contextId = (await one.contexts.create({ ...NEW_CONTEXT, settings })).id
      const textOf = (at: number, edition: number) => `The heron number${at} of edition${edition} nests in reeds.`
      const uuids: string[] = []
      for (let at = 0; at < DOCUMENTS; at += 1)
        uuids.push(await uploadText(at % 2 === 0 ? one : other, contextId, `${at}.txt`, textOf(at, 0)))

      let isDone = false
      let searches = 0
      /** Each document is found exactly once, in one of its editions, by any engine at any time. */
      const searchUntilDone = async (session: Session) => {
        while (!isDone) {
          for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
            const hits = await session.search(contextId, 'a heron nests in reeds', { mode, topN: 100, collapse: false })
            const found = hits.map(({ content }) => Number(/number(\d+)/.exec(content)?.[1])).filter((at) => at > 1)
            expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: DOCUMENTS - 2 }, (_, at) => at + 2))
            searches += 1
          }
        }
      }
      const searching = Promise.all([searchUntilDone(one), searchUntilDone(other)])
      searching.catch(() => undefined)
      for (let round = 1; round <= ROUNDS; round += 1) {
        const embeddingModel = round % 2 === 0 ? 'memory' : 'second'
        await (round % 2 === 0 ? one : other).contexts.update(contextId, { settings: { embeddingModel } })
        const replaced = 2 + (round % (DOCUMENTS - 2))
        uuids[replaced] = await one.documents.replace(uuids[replaced] ?? '', { content: textOf(replaced, round) })
        await other.documents.delete(uuids[0] ?? '')
        uuids[0] = await other.documents.upload(contextId, { fileName: '0.txt', content: textOf(0, round) })
        await one.documents.update(uuids[1] ?? '', { metadata: { round } })
        expect(await one.contexts.whenReindexed(contextId)).toMatchObject({ embeddingModel, reindexing: null })
        await other.documents.whenProcessed(uuids[replaced])
        await other.documents.whenProcessed(uuids[0])
        expect((await other.documents.get(uuids[1] ?? '')).metadata).toEqual({ round })
      }
      isDone = true
      await searching
      expect(searches).toBeGreaterThan(ROUNDS)
      const listed = await one.documents.list(contextId)
      expect(listed.map(({ uuid }) => uuid).sort()).toEqual([...uuids].sort())
      await expect
        .poll(async () => (await engines[0]?.engine.administration.verify())?.problems, {
          timeout: 20_000,
          interval: 500,
        })
        .toEqual([])
    },
    sized(2, 20) * 60_000,
  )
})
