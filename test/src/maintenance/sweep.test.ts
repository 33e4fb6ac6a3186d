import { describe, expect, it } from 'vitest'
import {
  MemoryFileStore,
  MemoryLexicalIndex,
  MemoryStorage,
  MemoryTelemetry,
  MemoryVectorIndex,
} from '../../../adapters/memory/index.js'
import { ANALYZER_VERSION } from '../../../src/analysis/index.js'
import { wordCollectionOf } from '../../../src/documents/collections.js'
import { Sweep } from '../../../src/maintenance/sweep.js'
import { SweepCollections } from '../../../src/maintenance/sweep-collections.js'
import { type Repositories, VectorsDamagedError } from '../../../src/ports/index.js'
import { collect, inPieces } from '../../conformance/harness.js'
import { NOW, seedCompany, seedContext, seedDocument } from '../../conformance/storage/storage-seed.js'

const KEY = '0f9a8960-36ac-426d-9b1e-3c5d7e9f1a2b'
const ORPHAN = '11111111-2222-4333-8444-555555555555'

/** A storage that learns of an upload just after the first read for it. */
class LateStorage extends MemoryStorage {
  #looks = 0

  override async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    const found = await super.read(work)
    this.#looks += 1
    if (this.#looks === 1) {
      await this.transaction(({ uploads }) => uploads.insert({ uuid: KEY, contextId: 1, sizeBytes: 1 }, 60_000))
    }
    return found
  }
}

/** Records how many jobs each transaction adds. */
class NotingStorage extends MemoryStorage {
  readonly added: number[] = []

  override async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await super.transaction(async (repositories) => {
      const count = async (): Promise<number> =>
        (await repositories.jobs.subjects('ingest-document', { after: 0, limit: 10_000 })).length
      const before = await count()
      const result = await work(repositories)
      this.added.push((await count()) - before)
      return result
    })
  }
}

function sweepOf(
  storage: MemoryStorage,
  {
    files = new MemoryFileStore(),
    words = new MemoryLexicalIndex(),
  }: { readonly files?: MemoryFileStore; readonly words?: MemoryLexicalIndex } = {},
): Sweep {
  const collections = new SweepCollections(storage, new MemoryVectorIndex(), words)
  return new Sweep(storage, files, collections, new MemoryTelemetry())
}

describe('the sweep', () => {
  it('enqueues the jobs of a long queue in short transactions, in lanes, and skips those that are done by then', async () => {
    const storage = new NotingStorage()
    const ids = await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      const contexts = [await seedContext(repositories, seed), await seedContext(repositories, seed, 'Other')]
      for (let number = 0; number < 500; number += 1) {
        const context = contexts[number % 2]
        if (context !== undefined) await seedDocument(repositories, context, crypto.randomUUID())
      }
      return (await repositories.documents.listUnfinished()).map(({ id }) => id)
    })
    const [first = 0] = ids
    const sweep = sweepOf(storage)
    const swept = sweep.run(new AbortController().signal)
    await storage.transaction(({ documents }) => documents.update(first, { completed: NOW }))
    expect(await swept).toMatchObject({ documentsResumed: 499 })
    expect(await storage.read(({ jobs }) => jobs.subjects('ingest-document', { after: 0, limit: 999 }))).toEqual(
      ids.slice(1),
    )
    expect(Math.max(...storage.added)).toBeLessThanOrEqual(200)
    const lanes = await storage.read(({ jobs }) => jobs.waiting(['ingest-document']))
    expect(lanes.map(({ lane, companyId }) => [lane, companyId]).sort()).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  it('enqueues no purge of a document or a context that is gone by then', async () => {
    const storage = new MemoryStorage()
    const { gone, left, emptied, deleted } = await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const documents = [KEY, ORPHAN].map(
        async (uuid) => await seedDocument(repositories, context, uuid, { deleted: NOW }),
      )
      const [one, other] = await Promise.all(documents)
      const contexts = [
        await seedContext(repositories, seed, 'Emptied'),
        await seedContext(repositories, seed, 'Deleted'),
      ]
      for (const { id } of contexts) await repositories.contexts.update(id, { deleted: NOW })
      return { gone: one?.id ?? 0, left: other?.id ?? 0, emptied: contexts[0]?.id ?? 0, deleted: contexts[1]?.id ?? 0 }
    })
    const swept = sweepOf(storage).run(new AbortController().signal)
    await storage.transaction(async ({ contexts, documents }) => {
      await contexts.remove(emptied)
      await documents.remove([gone])
    })
    expect(await swept).toMatchObject({ purgesResumed: 2 })
    const subjects = async (kind: string): Promise<readonly number[]> =>
      await storage.read(({ jobs }) => jobs.subjects(kind, { after: 0, limit: 9 }))
    expect([await subjects('purge-context'), await subjects('purge-document')]).toEqual([[deleted], [left]])
  })

  it('keeps a file that is claimed after the listing, and removes the one beside it', async () => {
    const files = new MemoryFileStore()
    for (const key of [KEY, ORPHAN]) await files.write(key, inPieces(new Uint8Array(9), 9), { maxBytes: 9 })
    const sweep = sweepOf(new LateStorage(), { files })
    expect(await sweep.run(new AbortController().signal)).toMatchObject({ filesRemoved: 1 })
    expect(await collect(files.list())).toEqual([KEY])
  })
  describe('of words', () => {
    /** Two contexts; the first one has a completed document. */
    async function seeded() {
      const [storage, words] = [new MemoryStorage(), new MemoryLexicalIndex()]
      const { document, contexts } = await storage.transaction(async (repositories) => {
        const seed = await seedCompany(repositories)
        const one = await seedContext(repositories, seed)
        const other = await seedContext(repositories, seed, 'Other')
        const changes = { completed: NOW, wordsVersion: ANALYZER_VERSION }
        return { document: await seedDocument(repositories, one, KEY, changes), contexts: [one.id, other.id] as const }
      })
      const add = async (collection: string, documentId: number): Promise<void> =>
        await words.add(collection, { documentId, chunks: [0, 1], terms: [['lamp'], ['jar']] })
      const swept = async () => await sweepOf(storage, { words }).run(new AbortController().signal)
      return { storage, words, document, contexts, add, swept }
    }

    // W40
    it('removes rows of deleted documents and collections of deleted contexts, and keeps all others', async () => {
      const { words, document, contexts, add, swept } = await seeded()
      const own = wordCollectionOf({ id: contexts[0], generation: 0 })
      await add(own, document.id)
      await add(own, 90)
      await add(wordCollectionOf({ id: 99, generation: 0 }), 1)
      await add('not-the-engines', 1)
      expect(await swept()).toMatchObject({ wordCollectionsDropped: 1, wordOrphansRemoved: 1, collectionsDropped: 0 })
      expect([...(await words.listCollections())].sort()).toEqual([own, 'not-the-engines'].sort())
      expect([...(await words.countByDocument(own))]).toEqual([[document.id, 2]])
      expect(await swept()).toMatchObject({ wordCollectionsDropped: 0, wordOrphansRemoved: 0 })
    })

    // W41
    it('drops words of an older analyzer once all documents have newer ones, and not before; never those of a newer one', async () => {
      const { storage, words, document, contexts, add, swept } = await seeded()
      const [older, own, newer] = [-1, 0, 1].map((step) =>
        wordCollectionOf({ id: contexts[0], generation: 0 }, ANALYZER_VERSION + step),
      )
      for (const name of [older, own, newer]) await add(name ?? '', document.id)
      await storage.transaction(({ documents }) =>
        documents.update(document.id, { wordsVersion: ANALYZER_VERSION - 1 }),
      )
      expect(await swept()).toMatchObject({ wordCollectionsDropped: 0 })
      await storage.transaction(({ documents }) => documents.update(document.id, { wordsVersion: ANALYZER_VERSION }))
      expect(await swept()).toMatchObject({ wordCollectionsDropped: 1 })
      expect([...(await words.listCollections())].sort()).toEqual([own, newer].sort())
    })

    it('has what other generations left removed by the job that waits for backups', async () => {
      const { storage, words, document, contexts, add, swept } = await seeded()
      const [id, other] = contexts
      const left = wordCollectionOf({ id: other, generation: 3 })
      await add(left, document.id)
      await storage.transaction(({ shadows }) => shadows.insert(id, 1, 1))
      expect(await swept()).toMatchObject({ wordCollectionsDropped: 0, documentsResumed: 0 })
      const jobs = await storage.read(({ jobs: repository }) =>
        repository.subjects('reindex-context', { after: 0, limit: 9 }),
      )
      expect(jobs).toEqual([id, other])
      expect(await words.listCollections()).toEqual([left])
    })

    // W42
    it('leaves damaged words to the doctor, and sweeps the others', async () => {
      const { words, contexts, add, swept } = await seeded()
      const [damaged, sound] = contexts.map((id) => wordCollectionOf({ id, generation: 0 }))
      for (const name of [damaged, sound]) await add(name ?? '', 90)
      const count = words.countByDocument.bind(words)
      words.countByDocument = async (name) => {
        if (name === damaged) throw new VectorsDamagedError('the words cannot be read')
        return await count(name)
      }
      expect(await swept()).toMatchObject({ wordCollectionsDropped: 0, wordOrphansRemoved: 1 })
    })
  })
})
