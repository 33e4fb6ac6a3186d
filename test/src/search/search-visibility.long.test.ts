import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { KnexStorage, openSqlite } from '../../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { MemoryStorage, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import type { Session } from '../../../src/index.js'
import type { Storage, VectorHit, VectorIndex } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

/** More windows than one write has, one for each chunk; the nearest to the prompt is the last. */
const CHUNKS = 1_500
const PROMPT = 'the wardrobe leads to a snowy forest'
const TEXT = [
  ...Array.from({ length: CHUNKS - 1 }, (_, number) => `the forest ${words(number, 14)}`),
  `${PROMPT} ${words(CHUNKS, 9)}`,
].join(' ')

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const adapters: [name: string, make: () => Promise<{ storage: Storage; vectorIndex: VectorIndex }>][] = [
  ['memory', async () => ({ storage: new MemoryStorage(), vectorIndex: new MemoryVectorIndex() })],
  [
    'SQLite and LanceDB',
    async () => {
      const folder = await temporaryFolder()
      cleanUps.push(folder.remove)
      const storage = new KnexStorage({ knex: openSqlite(join(folder.path, 'test.sqlite')) })
      return { storage, vectorIndex: new LanceDbVectorIndex(join(folder.path, 'vectors')) }
    },
  ],
]

describe.each(adapters)('a search on %s', (_name, make) => {
  // Q6
  it('that starts while a document is half indexed does not find it, even if it is completed before the end', async () => {
    const { engine, session, index, contextId } = await open()
    let half: Promise<readonly number[]> | undefined
    // The document is completed between the answer of the index and the search's next step.
    index.afterAdd = async () => {
      index.afterAdd = undefined
      const completed = new Promise((resolve) => engine.on('document.completed', resolve))
      const answered = new Promise<void>((resolve) => {
        index.afterSearch = async (hits) => {
          if (hits.length > 0) index.afterSearch = undefined
          resolve()
          await completed
        }
      })
      // The search uses meaning only, because words may find the document by then.
      const options = { topN: 10, mode: 'semantic' } as const
      half = session.search(contextId, PROMPT, options).then((results) => results.map(({ docId }) => docId))
      await answered
    }
    await uploadText(session, contextId, 'long.txt', TEXT)
    expect(await half).toEqual([])
    const [best] = await session.search(contextId, PROMPT, { topN: 10 })
    expect(best?.content).toContain(PROMPT)
  })

  // Q6
  it('never finds a part of a document, in any number of searches', async () => {
    const { session, contextId } = await open()
    const stop = new AbortController()
    const seen = new Set<number>()
    const found: unknown[] = []
    const searching = (async () => {
      while (!stop.signal.aborted) {
        const results = await session.search(contextId, PROMPT, { topN: 100 })
        for (const { docId } of results) seen.add(docId)
        if (results.length > 0) found.push([results.length, results[0]?.content.includes(PROMPT)])
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    })()
    for (let round = 0; round < 2; round += 1) {
      const uuid = await uploadText(session, contextId, `${round}.txt`, `${words(round, 16)} ${TEXT}`)
      await vi.waitFor(() => expect(seen.size).toBe(round + 1), { timeout: 20_000 })
      await session.documents.delete(uuid)
    }
    stop.abort()
    await searching
    expect(seen.size).toBe(2)
    expect(found).toEqual(found.map(() => [100, true]))
  })

  // Q6
  it('repeats its read when a document is deleted during it, and returns the next best chunks', async () => {
    const { session, index, contextId } = await open()
    for (const name of ['a', 'b', 'c']) await uploadText(session, contextId, `${name}.txt`, `${PROMPT} ${name}`)
    const [first] = await session.documents.list(contextId)
    index.afterSearch = async () => {
      index.afterSearch = undefined
      await session.documents.delete(first?.fileName ?? '')
    }
    const results = await session.search(contextId, PROMPT, { topN: 2 })
    expect(results.map(({ docId }) => docId)).toEqual([2, 3])
  })

  it('is not slowed by the windows of a large document that is not completed', async () => {
    const { session, index, contextId, storage, collection } = await open()
    for (const name of ['a', 'b', 'c']) await uploadText(session, contextId, `${name}.txt`, `the forest ${name}`)
    const [prompt] = await session.search(contextId, 'the forest a', { topN: 1 })
    expect(prompt?.docId).toBe(1)
    // These copies of the best answer are nearer than any visible chunk.
    const unfinished = await storage.transaction(async ({ documents }) => {
      const {
        id: _id,
        publicId: _publicId,
        ...done
      } = (await documents.listPage(contextId, { order: 'oldest', limit: 1 }))[0] ?? expect.fail()
      const uuid = '11111111-2222-4333-8444-555555555555'
      return await documents.insert({ ...done, uuid, completed: null, error: 'still to be retried (ERR_INTERNAL)' })
    })
    const name = await collection()
    const [vector] = await index.read({ name, dimensions: 64 }, [{ documentId: 1, chunk: 0, window: 0 }])
    const count = 20_000
    const vectors = new Float32Array(count * 64)
    for (let row = 0; row < count; row += 1) vectors.set(vector ?? [], row * 64)
    await index.add(
      { name, dimensions: 64 },
      {
        documentId: unfinished.id,
        chunks: Uint32Array.from({ length: count }, (_, row) => row),
        windows: new Uint16Array(count),
        vectors,
      },
    )
    let hitsSeen = 0
    index.afterSearch = async (hits) => {
      hitsSeen += hits.length
    }
    const results = await session.search(contextId, 'the forest a', { topN: 3 })
    expect(results.map(({ docId }) => docId)).toEqual([1, 2, 3])
    expect(hitsSeen).toBeLessThanOrEqual(3)
  })

  async function open() {
    const { storage, vectorIndex } = await make()
    const index = new WatchedIndex(vectorIndex)
    const memory: MemoryEngine = await memoryEngine({ storage, vectorIndex: index })
    cleanUps.push(() => memory.engine.close())
    const session: Session = memory.session
    const settings = { chunkSizeTokens: 16, overlap: 0, findsEarly: false }
    const { id: contextId } = await session.contexts.create({ ...NEW_CONTEXT, settings })
    const collection = async (): Promise<string> => (await index.listCollections())[0] ?? ''
    return { engine: memory.engine, session, index, contextId, storage, collection }
  }
})

/** An index that can pause just after its answer. */
class WatchedIndex implements VectorIndex {
  afterAdd: (() => Promise<void>) | undefined
  afterSearch: ((hits: readonly VectorHit[]) => Promise<void>) | undefined
  readonly #index: VectorIndex

  constructor(index: VectorIndex) {
    this.#index = index
  }

  async add(...args: Parameters<VectorIndex['add']>): Promise<void> {
    await this.#index.add(...args)
    await this.afterAdd?.()
  }

  async search(...args: Parameters<VectorIndex['search']>): Promise<readonly VectorHit[]> {
    const hits = await this.#index.search(...args)
    await this.afterSearch?.(hits)
    return hits
  }

  nearestWindows: VectorIndex['nearestWindows'] = async (...args) => await this.#index.nearestWindows(...args)
  count: VectorIndex['count'] = async (...args) => await this.#index.count(...args)
  read: VectorIndex['read'] = async (...args) => await this.#index.read(...args)
  deleteDocument: VectorIndex['deleteDocument'] = async (...args) => await this.#index.deleteDocument(...args)
  countByDocument: VectorIndex['countByDocument'] = async (name) => await this.#index.countByDocument(name)
  listCollections: VectorIndex['listCollections'] = async () => await this.#index.listCollections()
  drop: VectorIndex['drop'] = async (name) => await this.#index.drop(name)
  close: VectorIndex['close'] = async () => await this.#index.close()
}

function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, word) => `w${seed}x${word}`).join(' ')
}
