import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { KnexStorage, openPostgres } from '../../../adapters/knex/index.js'
import { PgVectorIndex } from '../../../adapters/pgvector/index.js'
import { PgLexicalIndex } from '../../../adapters/words/index.js'
import { type PgliteServer, startPglite } from '../../servers/pglite-server.js'
import { type SilentProxy, startSilentProxy } from '../../servers/silent-proxy.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')
const TEXT = 'Clean the filter of the lamp each week. Do not immerse the motor in water.'
/** A statement has ten seconds, and the answer follows soon. */
const LONGEST_MS = 15_000

describe.each(POSTGRES)(
  'an engine on $name whose network turns silent in the middle of a call',
  ({ openEmpty }) => {
    let vectorServer: PgliteServer
    let database: TestDatabase
    let proxies: Record<'storage' | 'words' | 'vectors', SilentProxy>
    let storage: KnexStorage
    let words: PgLexicalIndex
    let vectors: PgVectorIndex
    let memory: MemoryEngine
    let [contextId, uuid] = [0, '']

    beforeAll(async () => {
      vectorServer = await startPglite()
    })

    afterAll(async () => {
      await vectorServer.dispose()
    })

    beforeEach(async () => {
      database = await openEmpty()
      proxies = {
        storage: await startSilentProxy(database.address),
        words: await startSilentProxy(database.address),
        vectors: await startSilentProxy(vectorServer.url),
      }
      storage = new KnexStorage({ knex: openPostgres(proxies.storage.url) })
      words = new PgLexicalIndex({ knex: openPostgres(proxies.words.url) })
      // The server confuses the statements of several connections.
      vectors = new PgVectorIndex({ knex: openPostgres(proxies.vectors.url, { maxConnections: 1 }) })
      memory = await memoryEngine({ storage, lexicalIndex: words, vectorIndex: vectors })
      contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
      uuid = await uploadText(memory.session, contextId, 'lamp.txt', TEXT)
    })

    afterEach(async () => {
      vi.restoreAllMocks()
      for (const proxy of Object.values(proxies)) {
        proxy.letNewThrough()
        proxy.cut()
      }
      await expect
        .poll(async () => await vectors.listCollections().catch(() => undefined), { timeout: 60_000 })
        .toBeDefined()
      for (const collection of await vectors.listCollections()) await vectors.drop(collection)
      await memory.engine.close()
      for (const proxy of Object.values(proxies)) await proxy.dispose()
      await database.dispose()
    })

    async function took<T>(
      call: () => Promise<T>,
    ): Promise<{ readonly answer: T | undefined; readonly code: unknown }> {
      const began = performance.now()
      const ended = await call().then(
        (answer) => ({ answer, code: undefined }),
        (error: unknown) => ({ answer: undefined, code: (error as { readonly code?: unknown }).code }),
      )
      expect(performance.now() - began).toBeLessThan(LONGEST_MS)
      return ended
    }

    it('ends a prepare that reads windows, and serves the next one', async () => {
      const read = vectors.read.bind(vectors)
      vi.spyOn(vectors, 'read').mockImplementationOnce(async (...keys) => {
        proxies.vectors.silence()
        return await read(...keys)
      })
      const prepare = async () => await memory.session.prepare(contextId, 'How do I clean the filter?')
      expect((await took(prepare)).code).toBe('ERR_STORAGE')
      proxies.vectors.letNewThrough()
      // The lost connection still holds the only backend of the server.
      proxies.vectors.cut()
      await expect.poll(async () => (await prepare().catch(() => undefined))?.sources).toHaveLength(1)
    })

    it('ends an explanation that counts words, and serves the next one', async () => {
      const countTerms = words.countTerms.bind(words)
      vi.spyOn(words, 'countTerms').mockImplementationOnce(async (...terms) => {
        for (const proxy of Object.values(proxies)) proxy.silence()
        return await countTerms(...terms)
      })
      const explain = async () => await memory.session.explain(contextId, 'clean the filter')
      expect((await took(explain)).code).toBe('ERR_STORAGE')
      for (const proxy of Object.values(proxies)) proxy.letNewThrough()
      proxies.vectors.cut()
      expect((await explain()).hits).toHaveLength(1)
    })

    it('ends a change of a name that is committed: its words follow', async () => {
      const add = words.add.bind(words)
      vi.spyOn(words, 'add').mockImplementationOnce(async (...rows) => {
        proxies.words.silence()
        await add(...rows)
      })
      const rename = async () => await memory.session.documents.update(uuid, { displayName: 'Heron.txt' })
      expect((await took(rename)).answer).toMatchObject({ displayName: 'Heron.txt' })
    })

    it('ends the state of an operator, without what could not be measured', async () => {
      const measure = storage.measure.bind(storage)
      vi.spyOn(storage, 'measure').mockImplementationOnce(async () => {
        for (const proxy of Object.values(proxies)) proxy.silence()
        return await measure()
      })
      const { answer } = await took(async () => await memory.session.operator.state())
      expect(answer?.collections).toEqual({ vectors: null, words: null })
    })
  },
  200_000,
)
