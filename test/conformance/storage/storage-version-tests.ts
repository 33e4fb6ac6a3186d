import assert from 'node:assert/strict'
import type { ContextRecord, DocumentRecord, Repositories, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { listDocuments } from './list-documents.js'
import { LATER, NOW, newChunk, seedCompany, seedContext, seedDocument, wordVisibility } from './storage-seed.js'

const VERSION = 7
/** More rows than one read of a list has. */
const MANY = 1_003
const DONE = { started: NOW, completed: NOW, wordsVersion: VERSION, embeddedChunks: 1 }

/** A document with a completed version and a replacement that has everything but its completion. */
interface Replaced {
  readonly context: ContextRecord
  readonly old: DocumentRecord
  readonly replacement: DocumentRecord
}

async function seedReplacement(
  repositories: Repositories,
  context: ContextRecord,
  { id, publicId }: DocumentRecord,
  changes: Partial<DocumentRecord> = {},
): Promise<DocumentRecord> {
  const replacing = { publicId, replaces: id, wordsVersion: VERSION, embeddedChunks: 1 }
  return await seedDocument(repositories, context, `replacement-${id}`, { ...replacing, ...changes })
}

async function seedReplaced(storage: Storage, changes: Partial<DocumentRecord> = {}): Promise<Replaced> {
  return await storage.transaction(async (repositories) => {
    const context = await seedContext(repositories, await seedCompany(repositories))
    const old = await seedDocument(repositories, context, 'old', DONE)
    const replacement = await seedReplacement(repositories, context, old, changes)
    for (const { id } of [old, replacement])
      await repositories.chunks.insert(id, [newChunk(0, id === old.id ? 'old' : 'new')])
    return { context, old, replacement }
  })
}

/** Makes the replacement the current version, as the engine does. */
async function swap(storage: Storage, { old, replacement }: Replaced): Promise<void> {
  await storage.transaction(async ({ documents }) => {
    await documents.update(old.id, { deleted: LATER })
    await documents.update(replacement.id, { completed: LATER, replaces: null })
  })
}

/** Tests of versions of documents. */
export function defineVersionTests(test: DefineTest<Storage>): void {
  test('gives a new document its own id as public id, and keeps the one of a replacement', async (storage) => {
    const { old, replacement } = await seedReplaced(storage)
    assert.equal(old.publicId, old.id)
    assert.equal(replacement.publicId, old.id)
    assert.notEqual(replacement.id, old.id)
    await storage.read(async ({ documents }) => {
      assert.deepEqual(await documents.get(replacement.id), replacement)
      assert.deepEqual(await documents.getByUuid(replacement.uuid), replacement)
      assert.deepEqual(await documents.find([old.id, replacement.id]), [old, replacement])
    })
  })

  test('hides a replacement from lists, counts and searches', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    const keys = [old, replacement].map(({ id: documentId }) => ({ documentId, ordinal: 0 }))
    const rules = { version: VERSION, findsEarly: true }
    await storage.read(async ({ documents, chunks, contexts }) => {
      assert.deepEqual(await documents.getCurrent(old.publicId), old)
      assert.equal(await documents.getCurrent(replacement.id), undefined)
      assert.deepEqual(await listDocuments(documents, context.id), [old])
      assert.deepEqual(await documents.listPublicIds(context.id, { after: 0, limit: 9 }), [old.publicId])
      assert.equal(await documents.count(context.id), 1)
      assert.deepEqual(await documents.listReplacements(context.id), [replacement])
      assert.deepEqual(await documents.listUnfinished(), [replacement])
      assert.deepEqual(await documents.listIds(context.id, { after: 0, limit: 9 }), [old.id, replacement.id])
      assert.deepEqual(await documents.listWithoutWords(context.id, VERSION + 1, { after: 0, limit: 9 }), [old.id])
      assert.deepEqual(await contexts.listWithoutWords(VERSION), [])
      for (const { hidden } of [
        (await documents.searchable(context.id)).byMeaning,
        await wordVisibility(documents, context.id, rules),
        await wordVisibility(documents, context.id, { ...rules, findsEarly: false }),
      ])
        assert.deepEqual(hidden, [replacement.id])
      const visible = await chunks.findVisible(context.id, keys, { byWords: rules })
      assert.deepEqual(
        visible.map(({ documentId, documentPublicId, content }) => [documentId, documentPublicId, content]),
        [[old.id, old.publicId, 'old']],
      )
      assert.deepEqual(await chunks.list(replacement.id), [])
    })
  })

  test('never shows both versions early, if the document itself is not completed', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    await storage.transaction(({ documents }) => documents.update(old.id, { completed: null }))
    await storage.read(async ({ documents }) => {
      const rules = { version: VERSION, findsEarly: true }
      const { hidden, visible } = await wordVisibility(documents, context.id, rules)
      assert.deepEqual(hidden, [replacement.id])
      assert.ok(visible === undefined || (visible.length === 1 && visible[0] === old.id))
    })
  })

  test('shows the new version alone after the swap, under the same public id', async (storage) => {
    const replaced = await seedReplaced(storage)
    const { context, old, replacement } = replaced
    await swap(storage, replaced)
    const keys = [old, replacement].map(({ id: documentId }) => ({ documentId, ordinal: 0 }))
    await storage.read(async ({ documents, chunks }) => {
      assert.equal((await documents.getCurrent(old.publicId))?.id, replacement.id)
      assert.equal(await documents.getByUuid(old.uuid), undefined)
      assert.deepEqual(
        (await listDocuments(documents, context.id)).map(({ id, publicId, uuid }) => ({ id, publicId, uuid })),
        [{ id: replacement.id, publicId: old.publicId, uuid: replacement.uuid }],
      )
      assert.equal(await documents.count(context.id), 1)
      assert.deepEqual(await documents.listReplacements(context.id), [])
      assert.deepEqual((await documents.searchable(context.id)).byMeaning.hidden, [old.id])
      const visible = await chunks.findVisible(context.id, keys)
      assert.deepEqual(
        visible.map(({ documentPublicId, documentUuid, content }) => [documentPublicId, documentUuid, content]),
        [[old.publicId, replacement.uuid, 'new']],
      )
      assert.deepEqual(await documents.listDeleted(), [
        { id: old.id, uuid: old.uuid, contextId: context.id, generation: null },
      ])
    })
  })

  test('takes back a swap that fails before its end', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    const failing = storage.transaction(async ({ documents }) => {
      await documents.update(old.id, { deleted: LATER })
      await documents.update(replacement.id, { completed: LATER, replaces: null })
      throw new Error('a crash')
    })
    await assert.rejects(failing, /a crash/)
    await storage.read(async ({ documents }) => {
      assert.deepEqual(await listDocuments(documents, context.id), [old])
      assert.deepEqual(await documents.listReplacements(context.id), [replacement])
    })
  })

  test('refuses a second current version and a second replacement', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    const refused = { code: 'ERR_STORAGE' }
    await assert.rejects(
      storage.transaction((repositories) => seedReplacement(repositories, context, old, { uuid: 'second' })),
      refused,
    )
    await assert.rejects(
      storage.transaction((repositories) =>
        seedReplacement(repositories, context, old, { uuid: 'second', replaces: null }),
      ),
      refused,
    )
    await assert.rejects(
      storage.transaction(({ documents }) => documents.update(replacement.id, { replaces: null })),
      refused,
    )
    await storage.transaction(async (repositories) => {
      await repositories.documents.update(replacement.id, { deleted: NOW })
      const second = await seedReplacement(repositories, context, old, { uuid: 'second' })
      assert.deepEqual(await repositories.documents.listReplacements(context.id), [second])
    })
  })

  test('orders and pages documents by public id, also after one of them was replaced', async (storage) => {
    const replaced = await seedReplaced(storage)
    const { context, old, replacement } = replaced
    const others = await storage.transaction(async (repositories) => [
      await seedDocument(repositories, context, 'second', DONE),
      await seedDocument(repositories, context, 'third', DONE),
    ])
    await swap(storage, replaced)
    const expected = [old, ...others].map(({ publicId }) => publicId)
    await storage.read(async ({ documents }) => {
      const listed = await listDocuments(documents, context.id)
      assert.deepEqual(
        listed.map(({ publicId }) => publicId),
        expected,
      )
      assert.equal(listed[0]?.id, replacement.id)
      const pages: number[] = []
      for (let after = 0; ; ) {
        const [found] = await listDocuments(documents, context.id, { after, limit: 1, maxBytes: 1 })
        if (found === undefined) break
        pages.push(found.publicId)
        after = found.publicId
      }
      assert.deepEqual(pages, expected)
      assert.deepEqual(await documents.listPublicIds(context.id, { after: old.publicId, limit: 9 }), expected.slice(1))
      const upTo = expected[1] ?? 0
      const firstTwo = await listDocuments(documents, context.id, { after: 0, upTo, limit: 9 })
      assert.equal(firstTwo.length, 2)
    })
  })

  test('lists the replacements of some documents', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    const { second, other } = await storage.transaction(async (repositories) => {
      const added = await seedDocument(repositories, context, 'second', DONE)
      const elsewhere = await seedContext(repositories, await seedCompany(repositories, 'Other'))
      const stranger = await seedDocument(repositories, elsewhere, 'third', DONE)
      await seedReplacement(repositories, elsewhere, stranger)
      return { second: await seedReplacement(repositories, context, added), other: elsewhere }
    })
    await storage.read(async ({ documents }) => {
      const list = async (...publicIds: number[]) => await documents.listReplacements(context.id, publicIds)
      assert.deepEqual(await documents.listReplacements(context.id), [replacement, second])
      assert.deepEqual(await list(old.publicId), [replacement])
      assert.deepEqual(await list(second.publicId, old.publicId), [replacement, second])
      assert.deepEqual(await list(second.publicId + 9), [])
      assert.deepEqual(await list(), [])
      assert.equal((await documents.listReplacements(other.id)).length, 1)
    })
  })

  test('lists many replacements completely, in the order of their documents', async (storage) => {
    const { context, publicIds } = await storage.transaction(async (repositories) => {
      const made = await seedContext(repositories, await seedCompany(repositories))
      const replaced: DocumentRecord[] = []
      for (let at = 0; at < MANY; at += 1) replaced.push(await seedDocument(repositories, made, `old-${at}`, DONE))
      // The order of the replacements' own ids is the opposite one.
      for (const old of [...replaced].reverse()) await seedReplacement(repositories, made, old)
      return { context: made, publicIds: replaced.map(({ publicId }) => publicId) }
    })
    const listed = await storage.read(({ documents }) => documents.listReplacements(context.id))
    assert.deepEqual(
      listed.map(({ publicId }) => publicId),
      publicIds,
    )
  })

  test('counts a document with the larger of its two versions in the quota', async (storage) => {
    const { context, replacement } = await seedReplaced(storage, { sizeBytes: 400 })
    const used = async () => await storage.read(({ uploads }) => uploads.usedBytes(context.id))
    assert.equal(await used(), 1_000)
    await storage.transaction(({ documents }) => documents.update(replacement.id, { sizeBytes: 1_700 }))
    assert.equal(await used(), 1_700)
    await storage.transaction(({ documents }) => documents.update(replacement.id, { deleted: NOW }))
    assert.equal(await used(), 1_000)
  })

  test('counts the excess of texts in the quota as bytes', async (storage) => {
    const { context, replacement, old } = await seedReplaced(storage, { sizeBytes: 400 })
    const used = async () => await storage.read(({ uploads }) => uploads.usedBytes(context.id))
    await storage.transaction(({ documents }) => documents.update(replacement.id, { excessBytes: 900 }))
    assert.equal((await storage.read(({ documents }) => documents.get(replacement.id)))?.excessBytes, 900)
    assert.equal(await used(), 1_300)
    await storage.transaction(({ documents }) => documents.update(old.id, { excessBytes: 2_000 }))
    assert.equal(await used(), 3_000)
    await storage.transaction(({ documents }) => documents.update(old.id, { excessBytes: 0 }))
    assert.equal(await used(), 1_300)
  })

  test('counts only the new version in the quota after the swap', async (storage) => {
    const replaced = await seedReplaced(storage, { sizeBytes: 400 })
    await swap(storage, replaced)
    assert.equal(await storage.read(({ uploads }) => uploads.usedBytes(replaced.context.id)), 400)
  })

  test('finds only current versions by hash and size, and numbers the names of both', async (storage) => {
    const hash = 'cd'.repeat(32)
    const { context, old } = await seedReplaced(storage, {
      contentHash: hash,
      sizeBytes: 9_000,
      originalName: 'new.pdf',
      nameIndex: 4,
    })
    await storage.read(async ({ documents }) => {
      assert.equal(await documents.findSame(context.id, hash, 'new.pdf'), undefined)
      assert.equal(await documents.largestBytes(context.id), 1_000)
      assert.equal(await documents.largestBytes(context.id, 'new.pdf'), 0)
      assert.equal(await documents.nextNameIndex(context.id, 'new.pdf'), 5)
      assert.equal(await documents.nextNameIndex(context.id, 'report.pdf'), 1)
      const exceptOwn = { exceptPublicId: old.publicId }
      assert.equal(await documents.nextNameIndex(context.id, 'new.pdf', exceptOwn), 0)
      assert.equal(await documents.nextNameIndex(context.id, 'report.pdf', exceptOwn), 0)
    })
  })

  test('notices versions that have replaced others since a mark', async (storage) => {
    const replaced = await seedReplaced(storage)
    const { context, replacement } = replaced
    const other = await storage.transaction(async (repositories) => {
      return await seedContext(repositories, await seedCompany(repositories, 'Other'))
    })
    const mark = async () =>
      await storage.read(async ({ documents }) => {
        const found = await documents.searchable(context.id)
        assert.equal('byWords' in found, false)
        assert.deepEqual((await documents.searchable(context.id, { version: 1, findsEarly: true })).mark, found.mark)
        assert.equal(await documents.lastId(), found.mark.lastId)
        return found.mark
      })
    const isNew = async (since: Awaited<ReturnType<typeof mark>>, contextId = context.id) =>
      await storage.read(({ documents }) => documents.hasNewVersions(contextId, since))
    const before = await mark()
    assert.deepEqual(before, { lastId: replacement.id, replacements: [replacement.id], generation: 0 })
    const added = await storage.transaction((repositories) => seedDocument(repositories, context, 'another', DONE))
    assert.equal(await isNew(before), false)
    await swap(storage, replaced)
    assert.equal(await isNew(before), true)
    assert.equal(await isNew(before, other.id), false)
    const between = await mark()
    assert.deepEqual(between, { lastId: added.id, replacements: [], generation: 0 })
    assert.equal(await isNew(between), false)
    const next = await storage.transaction((repositories) => seedReplacement(repositories, context, added))
    assert.equal(await isNew(between), false)
    await swap(storage, { context, old: added, replacement: next })
    assert.equal(await isNew(between), true)
    assert.equal(await isNew(await mark()), false)
  })

  test('locks live versions only', async (storage) => {
    const { old, replacement } = await seedReplaced(storage)
    await storage.transaction(async ({ documents }) => {
      assert.equal(await documents.lock(old.id), true)
      assert.equal(await documents.lock(replacement.id), true)
      await documents.update(replacement.id, { deleted: NOW })
      assert.equal(await documents.lock(replacement.id), false)
      assert.equal(await documents.lock(replacement.id + 100), false)
    })
    assert.deepEqual(await storage.read(({ documents }) => documents.get(old.id)), old)
  })

  test('deletes all versions with their context', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    await storage.transaction(({ documents }) => documents.deleteOfContext(context.id, NOW))
    await storage.read(async ({ documents }) => {
      assert.deepEqual(
        (await documents.listDeleted(context.id)).map(({ id }) => id),
        [old.id, replacement.id],
      )
      assert.equal(await documents.count(context.id), 0)
    })
  })

  test('finds windows of the version that is replaced, so that its vectors are used again', async (storage) => {
    const { context, old, replacement } = await seedReplaced(storage)
    const hash = newChunk(0, 'old').windows[0]?.hash ?? ''
    const found = await storage.read(({ chunks }) => chunks.findWindows(context.id, [hash]))
    assert.deepEqual(found.get(hash), { documentId: old.id, chunk: 0, window: 0, generation: null })
    await swap(storage, { context, old, replacement })
    assert.equal((await storage.read(({ chunks }) => chunks.findWindows(context.id, [hash]))).size, 0)
  })
}
