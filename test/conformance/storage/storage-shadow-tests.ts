import assert from 'node:assert/strict'
import type { ContextRecord, DocumentRecord, Repositories, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { listDocuments } from './list-documents.js'
import { LATER, NOW, newChunk, seedCompany, seedContext, seedDocument, wordVisibility } from './storage-seed.js'

const VERSION = 7
const DONE = { started: NOW, completed: NOW, wordsVersion: VERSION, embeddedChunks: 1, chunkCount: 1 }
const REINDEXING = { embeddingModel: 'other', chunkSizeTokens: 500, overlap: 0, started: NOW, error: null }
const RULES = { version: VERSION, findsEarly: true }
const GENERATIONS = { from: 0, to: 1 }

interface Seeded {
  readonly context: ContextRecord
  readonly documents: readonly DocumentRecord[]
}

/** A context with completed documents. */
async function seed(storage: Storage, count = 2): Promise<Seeded> {
  return await storage.transaction(async (repositories) => {
    const context = await seedContext(repositories, await seedCompany(repositories))
    const documents: DocumentRecord[] = []
    for (let at = 0; at < count; at += 1) {
      const document = await seedDocument(repositories, context, `uuid-${at}`, { ...DONE, metadata: { at } })
      await repositories.chunks.insert(document.id, [newChunk(0, `old ${at}`)])
      documents.push(document)
    }
    return { context, documents }
  })
}

async function addShadows(storage: Storage, { context }: Seeded, limit = 100): Promise<readonly number[]> {
  return await storage.transaction(({ shadows }) => shadows.insert(context.id, 1, limit))
}

/** Completes shadows as their processing does. */
async function complete(storage: Storage, ids: readonly number[]): Promise<void> {
  await storage.transaction(async ({ documents, chunks }) => {
    for (const id of ids) {
      await chunks.insert(id, [newChunk(0, `new ${id}`)])
      await documents.update(id, DONE)
    }
  })
}

async function switchContext(storage: Storage, { context }: Seeded) {
  return await storage.transaction(async ({ shadows, contexts }) => {
    await contexts.lock(context.id)
    return await shadows.switch(context.id, GENERATIONS, LATER)
  })
}

async function find(storage: Storage, id: number): Promise<DocumentRecord> {
  const [document] = await storage.read(({ documents }) => documents.find([id]))
  assert.ok(document)
  return document
}

const idsOf = (records: readonly { readonly id: number }[]) => records.map(({ id }) => id)
const publicIdsOf = (records: readonly DocumentRecord[]) => records.map(({ publicId }) => publicId)

/** Tests of generations and shadows. */
export function defineShadowTests(test: DefineTest<Storage>): void {
  test('keeps the generations and the re-index of a context', async (storage) => {
    const { context } = await seed(storage, 0)
    const read = async () => await storage.read(({ contexts }) => contexts.generations(context.id))
    assert.deepEqual(await read(), { generation: 0, reindexing: null })
    const reindexing = { ...REINDEXING, generation: 2 }
    const changes = { generation: 1, lastGeneration: 2, reindexing }
    const changed = await storage.transaction(({ contexts }) => contexts.update(context.id, changes))
    assert.deepEqual(changed, { ...context, ...changes })
    assert.deepEqual(await read(), { generation: 1, reindexing })
    assert.deepEqual(await storage.read(({ shadows }) => shadows.listContexts()), [context.id])
    await storage.transaction(({ contexts }) => contexts.update(context.id, { reindexing: null }))
    assert.deepEqual(await read(), { generation: 1, reindexing: null })
    assert.deepEqual(await storage.read(({ shadows }) => shadows.listContexts()), [])
    await storage.transaction(({ contexts }) => contexts.update(context.id, { reindexing, deleted: NOW }))
    assert.equal(await read(), undefined)
    assert.deepEqual(await storage.read(({ shadows }) => shadows.listContexts()), [])
  })

  test('adds one shadow for each completed current version, some at a time', async (storage) => {
    const seeded = await seed(storage, 3)
    const { context, documents } = seeded
    await storage.transaction(async (repositories) => {
      await seedDocument(repositories, context, 'waiting')
      await seedDocument(repositories, context, 'failed', { error: 'No text (ERR_NO_TEXT)' })
      const replacing = { publicId: documents[0]?.publicId ?? 0, replaces: documents[0]?.id ?? 0 }
      await seedDocument(repositories, context, 'replacement', replacing)
      await seedDocument(repositories, context, 'deleted', { ...DONE, deleted: NOW })
    })
    const first = await addShadows(storage, seeded, 2)
    assert.equal(first.length, 2)
    const rest = await addShadows(storage, seeded, 2)
    assert.equal(rest.length, 1)
    assert.deepEqual(await addShadows(storage, seeded), [])
    for (const [at, id] of [...first, ...rest].entries()) {
      const { id: replaces, ...version } = documents[at] ?? seeded.documents[0] ?? assert.fail()
      const unprocessed = { started: null, completed: null, wordsVersion: null, chunkCount: 0, embeddedChunks: 0 }
      assert.deepEqual(await find(storage, id), {
        ...version,
        ...unprocessed,
        id,
        replaces,
        generation: 1,
        metadata: {},
      })
    }
    const shadows = await storage.read(({ shadows: repository }) => repository.shadowsOf(idsOf(documents)))
    assert.deepEqual(shadows, [...first, ...rest])
  })

  test('adds shadows for versions that are completed later, whatever their ids are', async (storage) => {
    const seeded = await seed(storage, 3)
    const [first, second] = seeded.documents
    assert.ok(first && second)
    await storage.transaction(({ documents }) => documents.update(first.id, { completed: null }))
    assert.equal((await addShadows(storage, seeded)).length, 2)
    await storage.transaction(({ documents }) => documents.update(first.id, { completed: NOW }))
    const [added] = await addShadows(storage, seeded)
    assert.equal((await find(storage, added ?? 0)).replaces, first.id)
    assert.deepEqual(await addShadows(storage, seeded), [])
  })

  test('hides shadows from everything that users see', async (storage) => {
    const seeded = await seed(storage)
    const { context, documents } = seeded
    const ids = await addShadows(storage, seeded)
    const before = await storage.read(({ documents: repository }) => repository.searchable(context.id))
    await complete(storage, ids)
    const all = [...idsOf(documents), ...ids]
    await storage.read(async (repositories) => {
      const { documents: repository, uploads, chunks, contexts, shadows } = repositories
      assert.deepEqual(before.byMeaning.hidden, [])
      assert.deepEqual((await repository.searchable(context.id)).byMeaning.hidden, [])
      assert.deepEqual((await wordVisibility(repository, context.id, RULES)).hidden, [])
      assert.deepEqual(await listDocuments(repository, context.id), documents)
      assert.equal(await repository.count(context.id), 2)
      assert.deepEqual(await repository.listReplacements(context.id), [])
      assert.deepEqual(await repository.listUnfinished(), [])
      assert.deepEqual((await repository.searchable(context.id)).mark.replacements, [])
      assert.deepEqual(await repository.getByUuid('uuid-0'), documents[0])
      assert.equal(await repository.nextNameIndex(context.id, 'report.pdf'), 1)
      assert.equal((await repository.countStates(context.id, VERSION)).completed, 2)
      assert.equal(await uploads.usedBytes(context.id), 2_000)
      assert.deepEqual(await repository.filtered(context.id, {}), idsOf(documents))
      assert.deepEqual(await repository.listWithoutWords(context.id, 8, { after: 0, limit: 9 }), idsOf(documents))
      assert.deepEqual(await contexts.listWithoutWords(VERSION), [])
      assert.deepEqual(await repository.listIds(context.id, { after: 0, limit: 9 }), all)
      const keys = all.map((documentId) => ({ documentId, ordinal: 0 }))
      const visible = await chunks.findVisible(context.id, keys, { byWords: RULES })
      assert.deepEqual(visible.map(({ documentId }) => documentId).sort(), idsOf(documents))
      assert.deepEqual(await shadows.progress(context.id, 1), { done: 2, total: 2 })
      assert.equal(await shadows.countChunks(context.id), 2)
      assert.deepEqual(await shadows.listUncompleted(context.id), [])
      const hash = newChunk(0, `new ${ids[0] ?? 0}`).windows[0]?.hash ?? ''
      const key = { documentId: ids[0], chunk: 0, window: 0, generation: 1 }
      assert.deepEqual([...(await chunks.findWindows(context.id, [hash])).values()], [key])
    })
  })

  test('lists shadows that wait or have failed, and deletes some of them', async (storage) => {
    const seeded = await seed(storage, 3)
    const { context } = seeded
    const ids = await addShadows(storage, seeded)
    const error = 'No text (ERR_NO_TEXT)'
    await complete(storage, ids.slice(0, 1))
    await storage.transaction(({ documents }) => documents.update(ids[1] ?? 0, { error }))
    const list = async () => await storage.read(({ shadows }) => shadows.listUncompleted(context.id))
    const shadow = { generation: 1, originalName: 'report.pdf' }
    assert.deepEqual(await list(), [
      { ...shadow, id: ids[1], error },
      { ...shadow, id: ids[2], error: null },
    ])
    assert.deepEqual(await storage.read(({ shadows }) => shadows.progress(context.id, 1)), { done: 1, total: 3 })
    const remove = async (which: { exceptGeneration?: number; isFailed?: boolean }) =>
      await storage.transaction(({ shadows }) => shadows.delete(context.id, which, LATER))
    assert.equal(await remove({ exceptGeneration: 1 }), 0)
    assert.equal(await remove({ isFailed: true }), 1)
    assert.deepEqual(idsOf(await list()), [ids[2]])
    assert.equal(await remove({ exceptGeneration: 2 }), 2)
    assert.deepEqual(await list(), [])
    const listDeleted = async (exceptGeneration?: number) =>
      idsOf(await storage.read(({ shadows }) => shadows.listDeleted(context.id, { limit: 9, exceptGeneration })))
    assert.deepEqual(await listDeleted(), ids)
    assert.deepEqual(await listDeleted(1), [])
    assert.deepEqual(await storage.read(({ shadows }) => shadows.listContexts()), [context.id])
    const inUse = await storage.read((repositories) => repositories.documents.filesInUse(['uuid-0', 'absent']))
    assert.deepEqual(inUse, new Set(['uuid-0']))
    assert.equal((await addShadows(storage, seeded)).length, 3)
  })

  test('switches all documents of a context in one transaction', async (storage) => {
    const seeded = await seed(storage)
    const { context, documents } = seeded
    const [first, second] = documents
    assert.ok(first && second)
    const ids = await addShadows(storage, seeded)
    await complete(storage, ids)
    await storage.transaction(({ documents: repository }) =>
      repository.update(first.id, { displayName: 'Renamed', metadata: { topic: 'birds', tags: ['a', 'b'] } }),
    )
    const { mark } = await storage.read(({ documents: repository }) => repository.searchable(context.id))
    assert.deepEqual(await switchContext(storage, seeded), { unprocessed: [], purged: [] })
    await storage.transaction(({ contexts }) => contexts.update(context.id, { generation: 1, lastGeneration: 1 }))
    await storage.read(async (repositories) => {
      const { documents: repository, shadows, chunks, uploads } = repositories
      const listed = await listDocuments(repository, context.id)
      assert.deepEqual(idsOf(listed), ids)
      assert.deepEqual(publicIdsOf(listed), publicIdsOf(documents))
      assert.deepEqual(
        listed.map(({ displayName, metadata, generation, replaces }) => [displayName, metadata, generation, replaces]),
        [
          ['Renamed', { topic: 'birds', tags: ['a', 'b'] }, null, null],
          [null, { at: 1 }, null, null],
        ],
      )
      assert.deepEqual(await repository.getByUuid('uuid-0'), listed[0])
      const birds = { metadata: { topic: { eq: 'birds' } } } as never
      assert.deepEqual(await repository.filtered(context.id, birds), [ids[0]])
      assert.equal(await uploads.usedBytes(context.id), 2_000)
      assert.deepEqual((await repository.searchable(context.id)).byMeaning.hidden, [])
      assert.equal(await repository.hasNewVersions(context.id, mark), true)
      const former = await repository.find(idsOf(documents))
      assert.deepEqual(
        former.map(({ deleted, generation }) => [deleted, generation]),
        documents.map(() => [LATER, 0]),
      )
      assert.deepEqual(idsOf(await shadows.listDeleted(context.id, { limit: 9 })), idsOf(documents))
      const keys = [...idsOf(documents), ...ids].map((documentId) => ({ documentId, ordinal: 0 }))
      const visible = await chunks.findVisible(context.id, keys)
      assert.deepEqual(visible.map(({ content }) => content).sort(), ids.map((id) => `new ${id}`).sort())
    })
  })

  test('refuses a switch while a completed document has no completed shadow', async (storage) => {
    const seeded = await seed(storage)
    const ids = await addShadows(storage, seeded)
    await complete(storage, ids.slice(0, 1))
    await assert.rejects(
      storage.transaction(async ({ shadows }) => {
        assert.equal(await shadows.switch(seeded.context.id, GENERATIONS, LATER), undefined)
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    const listed = await storage.read(({ documents }) => listDocuments(documents, seeded.context.id))
    assert.deepEqual(listed, seeded.documents)
  })

  test('refuses a switch to a generation while the completed shadows are those of another one', async (storage) => {
    const seeded = await seed(storage)
    await complete(storage, await addShadows(storage, seeded))
    await assert.rejects(
      storage.transaction(async ({ shadows }) => {
        assert.equal(await shadows.switch(seeded.context.id, { from: 0, to: 2 }, LATER), undefined)
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    const listed = await storage.read(({ documents }) => listDocuments(documents, seeded.context.id))
    assert.deepEqual(listed, seeded.documents)
  })

  test('takes back what was processed of versions that are not completed', async (storage) => {
    const seeded = await seed(storage, 1)
    const { context, documents } = seeded
    const [document] = documents
    assert.ok(document)
    const started = { started: NOW, wordsVersion: VERSION, embeddedChunks: 1 }
    const added = await storage.transaction(async (repositories) => ({
      waiting: await seedDocument(repositories, context, 'waiting', started),
      failed: await seedDocument(repositories, context, 'failed', { ...started, error: 'No text (ERR_NO_TEXT)' }),
      replacement: await seedDocument(repositories, context, 'replacement', {
        ...started,
        publicId: document.publicId,
        replaces: document.id,
      }),
    }))
    const ids = await addShadows(storage, seeded)
    await complete(storage, ids)
    const unprocessed = [added.waiting.id, added.replacement.id]
    assert.deepEqual(await switchContext(storage, seeded), { unprocessed, purged: [] })
    const reset = { wordsVersion: null, embeddedChunks: 0 }
    assert.deepEqual(await find(storage, added.waiting.id), { ...added.waiting, ...reset, started: null })
    assert.deepEqual(await find(storage, added.failed.id), { ...added.failed, ...reset })
    const replacement = await find(storage, added.replacement.id)
    assert.deepEqual(replacement, { ...added.replacement, ...reset, started: null, replaces: ids[0] })
    await storage.transaction(async ({ documents: repository }) => {
      await repository.update(ids[0] ?? 0, { deleted: LATER })
      await repository.update(replacement.id, { completed: LATER, replaces: null })
    })
    const current = await storage.read(({ documents: repository }) => repository.getCurrent(document.publicId))
    assert.equal(current?.id, replacement.id)
  })

  test('leaves out shadows whose document was deleted, and hides them after the switch', async (storage) => {
    const seeded = await seed(storage, 3)
    const { context, documents } = seeded
    const ids = await addShadows(storage, seeded)
    await complete(storage, ids)
    await storage.transaction(async ({ documents: repository }) => {
      // The second one without its shadow: another transaction has added the shadow at the same time.
      for (const id of [documents[0]?.id, ids[0], documents[1]?.id]) await repository.update(id ?? 0, { deleted: NOW })
    })
    assert.deepEqual(await switchContext(storage, seeded), { unprocessed: [], purged: ids.slice(0, 2) })
    await storage.read(async ({ documents: repository }) => {
      assert.deepEqual(idsOf(await listDocuments(repository, context.id)), ids.slice(2))
      const hidden = [documents[0], documents[1]].map((document) => document?.id ?? 0)
      assert.deepEqual((await repository.searchable(context.id)).byMeaning.hidden, [...hidden, ...ids.slice(0, 2)])
    })
  })

  test('switches and lists one context only', async (storage) => {
    const seeded = await seed(storage, 1)
    const other = await storage.transaction(async (repositories: Repositories) => {
      const context = await seedContext(repositories, await seedCompany(repositories, 'Other'))
      return { context, documents: [await seedDocument(repositories, context, 'other', DONE)] }
    })
    const [shadow] = await addShadows(storage, other)
    await complete(storage, [...(await addShadows(storage, seeded)), shadow ?? 0])
    await switchContext(storage, seeded)
    const [listed, former] = await storage.read(async ({ documents, shadows }) => [
      await listDocuments(documents, other.context.id),
      await shadows.listDeleted(other.context.id, { limit: 9 }),
    ])
    assert.deepEqual([listed, former], [other.documents, []])
    assert.equal((await find(storage, shadow ?? 0)).generation, 1)
  })

  test('deletes shadows with their context', async (storage) => {
    const seeded = await seed(storage, 1)
    const [shadow] = await addShadows(storage, seeded)
    await storage.transaction(({ documents }) => documents.deleteOfContext(seeded.context.id, NOW))
    const deleted = await storage.read(({ documents }) => documents.listDeleted(seeded.context.id))
    assert.deepEqual(
      deleted.map(({ id, generation }) => [id, generation]),
      [
        [seeded.documents[0]?.id, null],
        [shadow, 1],
      ],
    )
  })
}
