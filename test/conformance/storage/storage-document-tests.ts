import assert from 'node:assert/strict'
import {
  type ContextRecord,
  type DocumentRecord,
  type IngestionReceipt,
  NO_PLACE,
  type Storage,
  UPLOAD_TTL_MS,
} from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { listDocuments } from './list-documents.js'
import { LATER, NOW, newChunk, seedCompany, seedContext, seedDocument } from './storage-seed.js'

const UUIDS = [
  'aaaaaaaa-0000-4000-8000-000000000001',
  'aaaaaaaa-0000-4000-8000-000000000002',
  'aaaaaaaa-0000-4000-8000-000000000003',
] as const

/** Tests of contexts, documents, uploads and chunks. */
export function defineDocumentTests(test: DefineTest<Storage>): void {
  test('stores every member of a context', async (storage) => {
    await storage.transaction(async (repositories) => {
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const { contexts } = repositories
      assert.deepEqual(await contexts.get(context.id), context)
      const updated = await contexts.update(context.id, { name: 'New', starterPrompts: [], shareState: 1, icon: '📚' })
      assert.deepEqual(updated, { ...context, name: 'New', starterPrompts: [], shareState: 1, icon: '📚' })
      assert.equal(await contexts.update(999, { name: 'None' }), undefined)
    })
  })

  test('lists the contexts of each account separately', async (storage) => {
    await storage.transaction(async (repositories) => {
      const one = await seedCompany(repositories, 'One')
      const two = await seedCompany(repositories, 'Two')
      const mine = await seedContext(repositories, one)
      await seedContext(repositories, two)
      assert.deepEqual(await repositories.contexts.list({ accountId: one.accountId }), [mine])
    })
  })

  test('hides a deleted context until its row is removed', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { contexts } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      await contexts.update(context.id, { deleted: NOW })
      assert.equal(await contexts.get(context.id), undefined)
      assert.deepEqual(await contexts.list({ accountId: context.accountId }), [])
      assert.deepEqual(await contexts.listDeleted(), [context.id])
      await contexts.remove(context.id)
      await contexts.remove(context.id)
      assert.deepEqual(await contexts.listDeleted(), [])
    })
  })

  test('measures the documents of a company, and finds its largest contexts', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { contexts, accounts } = repositories
      const [one, two] = [await seedCompany(repositories, 'One'), await seedCompany(repositories, 'Two')]
      assert.deepEqual(await contexts.measure(one.companyId, 10), { documents: 0, sizeBytes: 0, largest: [] })
      const small = await seedContext(repositories, one, 'Small')
      const large = await seedContext(repositories, one, 'Large')
      await seedContext(repositories, one, 'Empty')
      const deleted = await seedContext(repositories, one, 'Deleted')
      const foreign = await seedContext(repositories, two, 'Foreign')
      const add = async (context: ContextRecord, number: number, changes: Partial<DocumentRecord>) =>
        await seedDocument(repositories, context, uuidOf(number), changes)
      await add(small, 1, { sizeBytes: 10 })
      const { id, publicId } = await add(large, 2, { sizeBytes: 5_000_000_000, completed: NOW })
      await add(large, 3, { sizeBytes: 5, excessBytes: 2 })
      // Neither a deleted version counts, nor a replacement, nor a shadow.
      await add(large, 4, { sizeBytes: 100, deleted: NOW })
      await add(large, 5, { sizeBytes: 200, replaces: id, publicId })
      await add(large, 6, { sizeBytes: 300, replaces: id, publicId, generation: 1 })
      await add(deleted, 7, { sizeBytes: 400 })
      await contexts.update(deleted.id, { deleted: NOW })
      await add(foreign, 8, { sizeBytes: 500 })
      const { accountId, userId, maxSizeBytes } = large
      const ofLarge = { id: large.id, accountId, userId, maxSizeBytes, documents: 2, sizeBytes: 5_000_000_007 }
      const ofSmall = { id: small.id, accountId, userId, maxSizeBytes, documents: 1, sizeBytes: 10 }
      const total = { documents: 3, sizeBytes: 5_000_000_017 }
      assert.deepEqual(await contexts.measure(one.companyId, 10), { ...total, largest: [ofLarge, ofSmall] })
      assert.deepEqual(await contexts.measure(one.companyId, 1), { ...total, largest: [ofLarge] })
      await accounts.remove(two.accountId, NOW)
      assert.deepEqual(await contexts.measure(two.companyId, 10), { documents: 0, sizeBytes: 0, largest: [] })
    })
  })

  test('stores every member of a document', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const document = await seedDocument(repositories, context, UUIDS[0], { sizeBytes: 5_000_000_000 })
      assert.deepEqual(await documents.get(document.id), document)
      assert.deepEqual(await documents.getByUuid(UUIDS[0]), document)
      const receipt: IngestionReceipt = {
        bytes: 1,
        characters: 2,
        pages: null,
        tokens: 3,
        chunks: 4,
        windows: 5,
        windowsReused: 0,
        embeddingModel: 'memory',
        language: 'fi',
        durationsMs: { extract: 1, words: 5, embed: 2, index: 3, total: 4 },
        warnings: ['page 3 has no text', 'odd'],
        warningReasons: [{ code: 'page-without-text', parameters: { page: 3 } }, null],
      }
      assert.equal(await documents.update(document.id, { completed: LATER, chunkCount: 4, receipt }), true)
      assert.deepEqual(await documents.get(document.id), { ...document, completed: LATER, chunkCount: 4, receipt })
      await documents.update(document.id, { completed: null, error: 'No text (ERR_NO_TEXT)' })
      assert.equal((await documents.get(document.id))?.error, 'No text (ERR_NO_TEXT)')
      assert.equal(await documents.update(999, { error: 'x' }), false)
    })
  })

  test('counts completed documents by their language', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const other = await seedContext(repositories, seed, 'Other')
      assert.deepEqual(await documents.countLanguages(context.id), [])
      const complete = async (index: number, language: string | null, ofContext = context): Promise<number> => {
        const { id } = await seedDocument(repositories, ofContext, `dddddddd-0000-4000-8000-00000000000${index}`)
        const receipt: IngestionReceipt = {
          ...{ bytes: 1, characters: 2, pages: null, tokens: 3, chunks: 4, windows: 5, windowsReused: 0 },
          ...{ embeddingModel: 'memory', language, warnings: [], warningReasons: [] },
          durationsMs: { extract: 1, words: 5, embed: 2.5, index: 3, total: 4 },
        }
        await documents.update(id, { completed: LATER, chunkCount: 4, receipt })
        return id
      }
      await complete(0, 'fi')
      await complete(1, 'fi')
      await complete(2, null)
      const deleted = await complete(3, 'ko')
      await complete(4, 'de', other)
      await documents.update(deleted, { deleted: LATER })
      const counts = await documents.countLanguages(context.id)
      assert.deepEqual(
        [...counts].sort((one, two) => two.documents - one.documents),
        [
          { language: 'fi', documents: 2, windows: 10, embedMs: 5 },
          { language: null, documents: 1, windows: 5, embedMs: 2.5 },
        ],
      )
    })
  })

  test('counts documents of one name and finds a document of the same name and bytes', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const other = await seedContext(repositories, seed, 'Other')
      assert.equal(await documents.nextNameIndex(context.id, 'report.pdf'), 0)
      const first = await seedDocument(repositories, context, UUIDS[0])
      await seedDocument(repositories, context, UUIDS[1], { nameIndex: 1, contentHash: 'cd'.repeat(32) })
      assert.equal(await documents.nextNameIndex(context.id, 'report.pdf'), 2)
      assert.equal(await documents.nextNameIndex(other.id, 'report.pdf'), 0)
      assert.deepEqual(await documents.findSame(context.id, 'ab'.repeat(32), 'report.pdf'), first)
      assert.equal(await documents.findSame(context.id, 'ab'.repeat(32), 'other.pdf'), undefined)
      assert.equal(await documents.findSame(other.id, 'ab'.repeat(32), 'report.pdf'), undefined)
      await documents.update(first.id, { deleted: NOW })
      assert.equal(await documents.findSame(context.id, 'ab'.repeat(32), 'report.pdf'), undefined)
    })
  })

  test('returns the size of the largest document of a context, or of one name in it', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const other = await seedContext(repositories, seed, 'Other')
      assert.equal(await documents.largestBytes(context.id), 0)
      await seedDocument(repositories, context, UUIDS[0], { sizeBytes: 30 })
      const largest = await seedDocument(repositories, context, UUIDS[1], { sizeBytes: 900, originalName: 'all.pdf' })
      assert.equal(await documents.largestBytes(context.id), 900)
      assert.equal(await documents.largestBytes(context.id, 'report.pdf'), 30)
      assert.equal(await documents.largestBytes(context.id, 'none.pdf'), 0)
      assert.equal(await documents.largestBytes(other.id), 0)
      await documents.update(largest.id, { deleted: NOW })
      assert.equal(await documents.largestBytes(context.id), 30)
    })
  })

  test('lists unfinished documents and deleted documents', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const waiting = await seedDocument(repositories, context, UUIDS[0])
      const done = await seedDocument(repositories, context, UUIDS[1], { completed: NOW })
      await seedDocument(repositories, context, UUIDS[2], { error: 'x (ERR_NO_TEXT)' })
      assert.deepEqual(await documents.listUnfinished(), [waiting])
      await documents.deleteOfContext(context.id, NOW)
      assert.deepEqual(await listDocuments(documents, context.id), [])
      assert.equal((await documents.listDeleted()).length, 3)
      assert.equal((await documents.listDeleted(999)).length, 0)
      assert.deepEqual(await documents.existing([done.id, 999]), new Set([done.id]))
      await documents.remove([done.id, waiting.id, 999])
      assert.equal((await documents.listDeleted(context.id)).length, 1)
      await documents.remove([])
      assert.equal((await documents.listDeleted(context.id)).length, 1)
    })
  })

  // Q6
  test('returns the visibility of the documents of a context as the shorter of two lists', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const other = await seedContext(repositories, seed, 'Other')
      assert.deepEqual((await documents.searchable(context.id)).byMeaning, { lastId: 0, hidden: [] })
      const done = await seedDocument(repositories, context, uuidOf(1), { completed: NOW })
      const also = await seedDocument(repositories, context, uuidOf(2), { completed: NOW })
      assert.deepEqual((await documents.searchable(context.id)).byMeaning, { lastId: also.id, hidden: [] })
      const waiting = await seedDocument(repositories, context, uuidOf(3))
      const elsewhere = await seedDocument(repositories, other, uuidOf(4))
      assert.deepEqual((await documents.searchable(context.id)).byMeaning, {
        lastId: elsewhere.id,
        hidden: [waiting.id],
      })
      const failed = await seedDocument(repositories, context, uuidOf(5), { error: 'x (ERR_NO_TEXT)' })
      await documents.update(done.id, { deleted: NOW })
      assert.deepEqual((await documents.searchable(context.id)).byMeaning, {
        lastId: failed.id,
        hidden: [done.id, waiting.id, failed.id],
        visible: [also.id],
      })
      await documents.deleteOfContext(context.id, NOW)
      assert.deepEqual((await documents.searchable(context.id)).byMeaning.visible, [])
    })
  })

  // Q6
  test('returns all chunks of a document or none while a deletion is in progress', async (storage) => {
    const keys = Array.from({ length: 100 }, (_, ordinal) => ordinal)
    for (let round = 0; round < 20; round += 1) {
      const { id, contextId } = await storage.transaction(async (repositories) => {
        const context = await seedContext(repositories, await seedCompany(repositories, `C${round}`))
        const document = await seedDocument(repositories, context, uuidOf(round), { completed: NOW })
        await repositories.chunks.insert(
          document.id,
          keys.map((ordinal) => newChunk(ordinal)),
        )
        return document
      })
      let isDeleted = false
      const poll = async (): Promise<void> => {
        while (!isDeleted) {
          const found = await storage.read(({ chunks }) =>
            chunks.findVisible(
              contextId,
              keys.map((ordinal) => ({ documentId: id, ordinal })),
            ),
          )
          assert.ok([0, 100].includes(found.length), `${found.length} of 100 chunks`)
        }
      }
      const polls = [poll(), poll()]
      await storage.transaction(({ documents }) => documents.update(id, { deleted: NOW }))
      isDeleted = true
      await Promise.all(polls)
    }
  })

  test('reserves quota for an upload until it finishes or expires', async (storage) => {
    const context = await storage.transaction(async (repositories) => {
      const made = await seedContext(repositories, await seedCompany(repositories))
      const document = await seedDocument(repositories, made, UUIDS[0])
      await seedDocument(repositories, made, UUIDS[1], { sizeBytes: 7, deleted: NOW })
      await repositories.uploads.insert({ uuid: UUIDS[2], contextId: made.id, sizeBytes: 500 }, 60_000)
      assert.equal(await repositories.uploads.usedBytes(made.id), document.sizeBytes + 500)
      assert.equal(await repositories.uploads.usedBytes(999), 0)
      return made
    })
    await storage.transaction(async ({ uploads }) => {
      assert.deepEqual(await uploads.claimed([...UUIDS, 'unknown']), new Set(UUIDS))
      assert.equal(await uploads.hold(UUIDS[2], 800, 60_000), true)
      assert.equal(await uploads.usedBytes(context.id), 1_800)
      assert.equal(await uploads.extend(UUIDS[2], 1_000), true)
      assert.equal(await uploads.usedBytes(context.id), 1_800)
      assert.equal(await uploads.hold(uuidOf(1), 1, 60_000), false)
    })
    // On a busy machine, a read may take some hundred milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    await storage.transaction(async ({ uploads }) => {
      assert.equal(await uploads.usedBytes(context.id), 1_000)
      assert.equal(await uploads.extend(UUIDS[2], 1_000), false)
      assert.equal(await uploads.hold(UUIDS[2], 1, 1_000), false)
      assert.equal(await uploads.usedBytes(context.id), 1_000)
      assert.equal(await uploads.remove(UUIDS[2]), false)
      assert.deepEqual(await uploads.claimed([UUIDS[2]]), new Set())
      await uploads.removeExpired({ all: false })
      await uploads.insert({ uuid: UUIDS[2], contextId: context.id, sizeBytes: 1 }, 60_000)
      assert.equal(await uploads.remove(UUIDS[2]), true)
      await uploads.insert({ uuid: UUIDS[2], contextId: context.id, sizeBytes: 1 }, 60_000)
      await uploads.removeExpired({ all: true })
      assert.equal(await uploads.remove(UUIDS[2]), false)
    })
  })

  test('finds the UUID of an upload at every moment while it becomes a document', async (storage) => {
    const context = await storage.transaction(async (repositories) =>
      seedContext(repositories, await seedCompany(repositories)),
    )
    for (let round = 0; round < 150; round += 1) {
      const uuid = uuidOf(round)
      await storage.transaction(({ uploads }) => uploads.insert({ uuid, contextId: context.id, sizeBytes: 1 }, 60_000))
      let isSettled = false
      const poll = async (): Promise<void> => {
        while (!isSettled) {
          const claimed = await storage.read(({ uploads }) => uploads.claimed([uuid]))
          assert.deepEqual(claimed, new Set([uuid]), `round ${round}`)
        }
      }
      const settle = storage.transaction(async (repositories) => {
        await repositories.uploads.remove(uuid)
        await seedDocument(repositories, context, uuid)
      })
      const polls = [poll(), poll(), poll()]
      await settle.finally(() => {
        isSettled = true
      })
      await Promise.all(polls)
    }
  })

  test('finds ids and UUIDs in lists that are too long for one statement', async (storage) => {
    const many = Array.from({ length: 40_000 }, (_, index) => index + 1)
    const { id } = await storage.transaction(async (repositories) => {
      const context = await seedContext(repositories, await seedCompany(repositories))
      return await seedDocument(repositories, context, uuidOf(39_999))
    })
    await storage.read(async ({ documents, uploads }) => {
      assert.deepEqual(await documents.existing([...many.map((each) => id + each), id]), new Set([id]))
      assert.deepEqual(await uploads.claimed(many.map(uuidOf)), new Set([uuidOf(39_999)]))
    })
  })

  test('returns contexts and documents page by page, including deleted ones', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { contexts, documents } = repositories
      const seed = await seedCompany(repositories)
      const deletedContext = await seedContext(repositories, seed)
      const context = await seedContext(repositories, seed, 'Second')
      const [first, second] = [deletedContext.id, context.id]
      await contexts.update(first, { deleted: NOW })
      const page = (after: number, limit: number) => contexts.page({ after, limit })
      assert.deepEqual(await page(0, 10), [{ ...deletedContext, deleted: NOW }, context])
      assert.deepEqual(
        (await page(0, 1)).map(({ id }) => id),
        [first],
      )
      assert.deepEqual(
        (await page(first, 1)).map(({ id }) => id),
        [second],
      )
      assert.deepEqual(await page(second, 1), [])

      const one = await seedDocument(repositories, context, UUIDS[0])
      await seedDocument(repositories, deletedContext, UUIDS[1])
      const three = await seedDocument(repositories, context, UUIDS[2], { deleted: NOW })
      assert.deepEqual(await documents.listIds(second, { after: 0, limit: 10 }), [one.id, three.id])
      assert.deepEqual(await documents.listIds(second, { after: 0, limit: 1 }), [one.id])
      assert.deepEqual(await documents.listIds(second, { after: one.id, limit: 10 }), [three.id])
      assert.deepEqual(await documents.find([three.id, 999, one.id]), [one, three])
      assert.deepEqual(await documents.find([]), [])
      assert.equal(await documents.update(one.id, { sizeBytes: 7 }), true)
      assert.deepEqual(await documents.get(one.id), { ...one, sizeBytes: 7 })
    })
  })

  test('counts the chunks and windows of documents and marks documents with gaps', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { chunks } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const ids: number[] = []
      for (const uuid of UUIDS) ids.push((await seedDocument(repositories, context, uuid)).id)
      const [whole, gapped, empty] = ids as [number, number, number]
      const windows = ['first', 'second'].map((hash) => ({ start: 0, end: 7, tokens: 1, hash }))
      await chunks.insert(whole, [newChunk(0), { ...newChunk(1), windows }])
      await chunks.insert(gapped, [newChunk(1), newChunk(2)])
      const counts = await chunks.count([...ids, 999])
      assert.deepEqual(counts.get(whole), { chunks: 2, windows: 3, isWhole: true })
      assert.deepEqual(counts.get(gapped), { chunks: 2, windows: 2, isWhole: false })
      assert.deepEqual([counts.size, counts.has(empty)], [2, false])
      await chunks.insert(empty, [{ ...newChunk(0), windows: [] }])
      assert.deepEqual((await chunks.count([empty])).get(empty), { chunks: 1, windows: 0, isWhole: false })
      assert.deepEqual(await chunks.listOrphans(10), [])
    })
  })

  // W15
  test('lists contexts and documents whose words are not indexed by a given version of the analyzer', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { contexts, documents } = repositories
      const seed = await seedCompany(repositories)
      const made: ContextRecord[] = []
      for (const name of ['none', 'older', 'newer', 'done', 'unfinished', 'gone', 'deleted']) {
        made.push(await seedContext(repositories, seed, name))
      }
      const [none, older, newer, done, unfinished, gone, deleted] = made as [
        ContextRecord,
        ContextRecord,
        ContextRecord,
        ContextRecord,
        ContextRecord,
        ContextRecord,
        ContextRecord,
      ]
      let number = 0
      const add = async (context: ContextRecord, changes: Partial<DocumentRecord>) => {
        number += 1
        return await seedDocument(repositories, context, uuidOf(number), { completed: NOW, ...changes })
      }
      const first = await add(none, { wordsVersion: null })
      await add(none, { wordsVersion: 2 })
      const third = await add(none, { wordsVersion: 1 })
      await add(older, { wordsVersion: 1 })
      await add(newer, { wordsVersion: 3 })
      await add(done, { wordsVersion: 2 })
      await add(unfinished, { completed: null })
      await add(gone, { deleted: NOW })
      await add(deleted, {})
      await contexts.update(deleted.id, { deleted: NOW })
      assert.deepEqual(await contexts.listWithoutWords(2), [none.id, older.id, newer.id])
      assert.deepEqual(await contexts.listWithoutWords(3), [none.id, older.id, done.id])
      const page = (after: number, limit: number) => documents.listWithoutWords(none.id, 2, { after, limit })
      assert.deepEqual(await page(0, 10), [first.id, third.id])
      assert.deepEqual(await page(0, 1), [first.id])
      assert.deepEqual(await page(first.id, 10), [third.id])
      assert.deepEqual(await documents.listWithoutWords(unfinished.id, 2, { after: 0, limit: 10 }), [])
    })
  })

  test('counts expired uploads', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { uploads } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      await uploads.insert({ uuid: UUIDS[0], contextId: context.id, sizeBytes: 1 }, 60_000)
      await uploads.insert({ uuid: UUIDS[1], contextId: context.id, sizeBytes: 1 }, -1)
      assert.equal(await uploads.countExpired(), 1)
      await uploads.removeExpired({ all: false })
      assert.equal(await uploads.countExpired(), 0)
    })
  })

  test('an upload from before the clock was set back holds no quota, and goes on if it is alive', async (storage) => {
    const context = await storage.transaction(async (repositories) => {
      const made = await seedContext(repositories, await seedCompany(repositories))
      for (const uuid of [UUIDS[0], UUIDS[1]]) {
        await repositories.uploads.insert({ uuid, contextId: made.id, sizeBytes: 500 }, UPLOAD_TTL_MS)
      }
      assert.equal(await repositories.uploads.usedBytes(made.id), 1_000)
      // The end of an upload that began when the clock was 30 days ahead.
      const isHeld = await repositories.uploads.hold(UUIDS[0], 500, UPLOAD_TTL_MS + 30 * 86_400_000)
      assert.equal(isHeld, true)
      return made
    })
    await storage.transaction(async ({ uploads }) => {
      assert.equal(await uploads.usedBytes(context.id), 500)
      assert.equal(await uploads.countExpired(), 1)
      // Its file stays until its row is removed: it may be alive.
      assert.deepEqual(await uploads.claimed(UUIDS), new Set([UUIDS[0], UUIDS[1]]))
      assert.equal(await uploads.extend(UUIDS[0], UPLOAD_TTL_MS), true)
      assert.equal(await uploads.usedBytes(context.id), 1_000)
      await uploads.hold(UUIDS[0], 500, UPLOAD_TTL_MS + 30 * 86_400_000)
      await uploads.removeExpired({ all: false })
      assert.equal(await uploads.countExpired(), 0)
      assert.deepEqual(await uploads.claimed(UUIDS), new Set([UUIDS[1]]))
      assert.equal(await uploads.extend(UUIDS[0], UPLOAD_TTL_MS), false)
      assert.equal(await uploads.usedBytes(context.id), 500)
    })
  })

  test('lists many documents, including deleted ones, and many chunks completely and in order', async (storage) => {
    const uuids = Array.from({ length: 1_203 }, (_, index) => uuidOf(index))
    const { context, first } = await storage.transaction(async (repositories) => {
      const made = await seedContext(repositories, await seedCompany(repositories))
      for (const uuid of uuids) await seedDocument(repositories, made, uuid, { originalName: uuid })
      const [added] = await listDocuments(repositories.documents, made.id)
      await repositories.chunks.insert(
        added?.id ?? 0,
        uuids.map((_, ordinal) => newChunk(ordinal)),
      )
      return { context: made, first: added?.id ?? 0 }
    })
    await storage.read(async ({ documents }) => {
      for (const listed of [await listDocuments(documents, context.id), await documents.listUnfinished()]) {
        assert.deepEqual(
          listed.map(({ uuid }) => uuid),
          uuids,
        )
      }
    })
    await storage.transaction(({ documents }) => documents.update(first, { completed: NOW }))
    const chunks = await storage.read((repositories) => repositories.chunks.list(first))
    assert.deepEqual(
      chunks.map(({ ordinal }) => ordinal),
      uuids.map((_, ordinal) => ordinal),
    )
    assert.deepEqual(
      await storage.read(({ chunks: stored }) => stored.listHashes(first, { ordinal: 0, limit: 2_000 })),
      uuids.map((_, ordinal) => newChunk(ordinal).hash),
    )
    await storage.transaction(({ documents }) => documents.update(first, { deleted: NOW }))
    assert.deepEqual(await storage.read((repositories) => repositories.chunks.list(first)), [])
    await storage.transaction(({ documents }) => documents.deleteOfContext(context.id, NOW))
    for (const contextId of [context.id, undefined]) {
      const deleted = await storage.read(({ documents }) => documents.listDeleted(contextId))
      assert.deepEqual(
        deleted.map(({ uuid }) => uuid),
        uuids,
      )
    }
  })

  test('returns chunks from the completion of their document until its deletion', async (storage) => {
    const place = { pageFirst: 3, pageLast: 4, headings: ['Prices', 'In "2026"'] }
    const { document, context } = await storage.transaction(async (repositories) => {
      const made = await seedContext(repositories, await seedCompany(repositories))
      const added = await seedDocument(repositories, made, UUIDS[0])
      await repositories.chunks.insert(added.id, [newChunk(0), { ...newChunk(1), ...place }, newChunk(2)])
      return { document: added, context: made }
    })
    const keys = [0, 1, 2, 9].map((ordinal) => ({ documentId: document.id, ordinal }))
    const visible = async (maxBytes?: number): Promise<(string | null)[]> => {
      const found = await storage.read(({ chunks }) =>
        chunks.findVisible(context.id, keys, maxBytes === undefined ? {} : { maxBytes }),
      )
      assert.deepEqual(new Set(found.map(({ sizeBytes }) => sizeBytes)), new Set(found.length === 0 ? [] : [7]))
      return found.map(({ content }) => content).sort()
    }
    assert.deepEqual(await visible(), [])
    assert.deepEqual(await storage.read(({ chunks }) => chunks.list(document.id)), [])
    await storage.transaction(({ documents }) => documents.update(document.id, { completed: NOW }))
    assert.deepEqual(await visible(), ['chunk 0', 'chunk 1', 'chunk 2'])
    assert.deepEqual(await visible(7), ['chunk 0', 'chunk 1', 'chunk 2'])
    assert.deepEqual(await visible(6), [null, null, null])
    assert.deepEqual(await storage.read(({ chunks }) => chunks.findVisible(999, keys)), [])
    const listed = await storage.read(({ chunks }) => chunks.list(document.id))
    assert.deepEqual(
      listed.map(({ id: _id, ...chunk }) => chunk),
      [0, 1, 2].map((ordinal) => ({
        documentId: document.id,
        ordinal,
        content: `chunk ${ordinal}`,
        start: ordinal * 100,
        tokens: 2,
        ...(ordinal === 1 ? place : NO_PLACE),
      })),
    )
    const listFrom = async (ordinal: number, limit: number): Promise<unknown> =>
      await storage.read(({ chunks }) => chunks.listFrom(document.id, { ordinal, limit }))
    assert.deepEqual(await listFrom(0, 2), listed.slice(0, 2))
    assert.deepEqual(await listFrom(1, 10), listed.slice(1))
    assert.deepEqual(await listFrom(3, 10), [])
    await storage.transaction(({ contexts }) => contexts.update(context.id, { deleted: NOW }))
    assert.deepEqual(await visible(), [])
    assert.deepEqual(await listFrom(0, 10), [])
  })

  test('keeps the white space around chunks', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { chunks } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const { id } = await seedDocument(repositories, context, UUIDS[0])
      const gaps = [
        { gapBefore: '\t\u00A0\f', gapAfter: null },
        { gapBefore: 'L12\n2', gapAfter: null },
        { gapBefore: null, gapAfter: '\n' },
      ]
      await chunks.insert(
        id,
        gaps.map((gap, ordinal) => ({ ...newChunk(ordinal), ...gap })),
      )
      const stored = await chunks.page(id, { ordinal: 0, limit: 10 })
      assert.deepEqual(
        stored.map(({ gapBefore, gapAfter }) => ({ gapBefore, gapAfter })),
        gaps,
      )
    })
  })

  test('removes chunks from the end in batches', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { chunks } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const { id } = await seedDocument(repositories, context, UUIDS[0])
      const many = Array.from({ length: 250 }, (_, ordinal) => newChunk(ordinal))
      await chunks.insert(id, many)
      assert.equal((await chunks.listHashes(id, { ordinal: 0, limit: 1_000 })).length, 250)
      assert.equal(await chunks.remove(id, { fromOrdinal: 10, limit: 100 }), 100)
      assert.equal(await chunks.remove(id, { fromOrdinal: 10, limit: 1_000 }), 140)
      assert.equal(await chunks.remove(id, { fromOrdinal: 10, limit: 1_000 }), 0)
      assert.deepEqual(
        await chunks.listHashes(id, { ordinal: 0, limit: 1_000 }),
        many.slice(0, 10).map(({ hash }) => hash),
      )
      assert.deepEqual(
        await chunks.listHashes(id, { ordinal: 4, limit: 3 }),
        many.slice(4, 7).map(({ hash }) => hash),
      )
    })
  })

  test('removes the chunks of many documents, up to a limit', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { chunks } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const seedChunks = async (at: number, count: number): Promise<number> => {
        const { id } = await seedDocument(repositories, context, uuidOf(at))
        await chunks.insert(
          id,
          Array.from({ length: count }, (_, ordinal) => newChunk(ordinal)),
        )
        return id
      }
      const one = await seedChunks(1, 3)
      const empty = await seedChunks(2, 0)
      const large = await seedChunks(3, 4)
      const small = await seedChunks(4, 2)
      const other = await seedChunks(5, 1)
      const left = async (): Promise<unknown> =>
        [...(await chunks.count([one, empty, large, small, other]))]
          .map(([id, { chunks: count, isWhole }]) => [id, count, isWhole])
          .sort(([first = 0], [second = 0]) => Number(first) - Number(second))
      assert.deepEqual(await chunks.removeOf([small, large, one, empty], 6), [one, empty])
      const all = [
        [large, 4, true],
        [small, 2, true],
        [other, 1, true],
      ]
      assert.deepEqual(await left(), all)
      assert.deepEqual(await chunks.removeOf([small, large], 3), [], 'the first document has more chunks')
      assert.deepEqual(await left(), [[large, 1, true], ...all.slice(1)])
      assert.deepEqual(await chunks.removeOf([small, large, 99_999], 3), [large, small, 99_999])
      assert.deepEqual(await left(), all.slice(2))
      assert.deepEqual(await chunks.removeOf([], 3), [])
      const many: number[] = []
      for (let at = 10; at < 240; at += 1) many.push(await seedChunks(at, 1))
      assert.deepEqual(await chunks.removeOf(many, 229), many.slice(0, -1))
      assert.deepEqual(await chunks.removeOf(many, 229), many)
      assert.deepEqual(await left(), all.slice(2))
    })
  })

  test('finds windows with written vectors in live documents of the context', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { chunks, documents } = repositories
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const other = await seedContext(repositories, seed, 'Other')
      const { id } = await seedDocument(repositories, context, UUIDS[0])
      await chunks.insert(id, [newChunk(0), newChunk(1)])
      const hashes = ['window of chunk 1', 'window of nothing']
      await documents.update(id, { embeddedChunks: 1 })
      assert.deepEqual(await chunks.findWindows(context.id, hashes), new Map(), 'its vector is not written yet')
      await documents.update(id, { embeddedChunks: 2 })
      const known = new Map([['window of chunk 1', { documentId: id, chunk: 1, window: 0, generation: null }]])
      assert.deepEqual(await chunks.findWindows(context.id, hashes), known)
      assert.deepEqual(await chunks.findWindows(context.id, []), new Map())
      assert.deepEqual(await chunks.findWindows(other.id, hashes), new Map())
      await documents.update(id, { deleted: NOW })
      assert.deepEqual(await chunks.findWindows(context.id, hashes), new Map())
    })
  })
}

function uuidOf(number: number): string {
  return `bbbbbbbb-0000-4000-8000-${String(number).padStart(12, '0')}`
}
