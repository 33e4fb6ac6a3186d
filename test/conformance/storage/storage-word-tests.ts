import assert from 'node:assert/strict'
import type { DocumentVisibility, Storage } from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { LATER, NOW, newChunk, seedCompany, seedContext, seedDocument, wordVisibility } from './storage-seed.js'

const UUIDS = [1, 2, 3, 4, 5, 6, 7].map((number) => `cccccccc-0000-4000-8000-00000000000${number}`)
const VERSION = 3

/** Tests of the members of contexts, documents and chunks that word searches need. */
export function defineWordTests(test: DefineTest<Storage>): void {
  test('stores the search settings of a context', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { contexts } = repositories
      const { id } = await seedContext(repositories, await seedCompany(repositories))
      await contexts.update(id, { searchMode: 'keyword', findsEarly: false })
      const context = await contexts.get(id)
      assert.deepEqual([context?.searchMode, context?.findsEarly], ['keyword', false])
    })
  })

  test('stores the index state of a document', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const { id } = await seedDocument(repositories, context, UUIDS[0] ?? '')
      assert.deepEqual([(await documents.get(id))?.wordsVersion, (await documents.get(id))?.embeddedChunks], [null, 0])
      await documents.update(id, { wordsVersion: VERSION, embeddedChunks: 7 })
      assert.deepEqual(
        [(await documents.get(id))?.wordsVersion, (await documents.get(id))?.embeddedChunks],
        [VERSION, 7],
      )
      await documents.update(id, { wordsVersion: null })
      assert.equal((await documents.get(id))?.wordsVersion, null)
    })
  })

  test('returns the documents that a word search may find, including unfinished findable ones on request', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const seed = await seedCompany(repositories)
      const context = await seedContext(repositories, seed)
      const other = await seedContext(repositories, seed, 'Other')
      const add = async (at: number, changes: object, of = context): Promise<number> => {
        return (await seedDocument(repositories, of, UUIDS[at] ?? '', changes)).id
      }
      const completed = await add(0, { wordsVersion: VERSION, completed: NOW })
      const without = await add(1, { completed: NOW })
      const older = await add(2, { wordsVersion: VERSION - 1, completed: NOW })
      const early = await add(3, { wordsVersion: VERSION })
      const failed = await add(4, { wordsVersion: VERSION, error: 'it failed (ERR_NO_TEXT)' })
      const elsewhere = await add(5, { wordsVersion: VERSION, completed: NOW }, other)
      const shown = async (findsEarly: boolean): Promise<number[]> => {
        return shownBy(await wordVisibility(documents, context.id, { version: VERSION, findsEarly }), [
          completed,
          without,
          older,
          early,
          failed,
        ])
      }
      assert.deepEqual(await shown(false), [completed])
      assert.deepEqual(await shown(true), [completed, early])
      assert.equal(
        (await wordVisibility(documents, context.id, { version: VERSION, findsEarly: true })).lastId,
        elsewhere,
      )
      assert.deepEqual(await documents.listWithoutWords(context.id, VERSION, { after: 0, limit: 10 }), [without, older])
      assert.deepEqual(await documents.listWithoutWords(context.id, VERSION, { after: without, limit: 1 }), [older])
      await add(6, {})
      assert.deepEqual(await documents.countStates(context.id, VERSION), {
        completed: 3,
        completedWithoutWords: 2,
        waiting: 2,
        waitingWithWords: 1,
        failed: 1,
      })
      const states = await documents.countStates(999_999, VERSION)
      assert.deepEqual([states.completed, states.waiting, states.failed], [0, 0, 0])
      await documents.update(early, { deleted: LATER })
      await documents.update(without, { deleted: LATER })
      assert.deepEqual(await shown(true), [completed])
      const { completed: left, completedWithoutWords, waiting } = await documents.countStates(context.id, VERSION)
      assert.deepEqual([left, completedWithoutWords, waiting], [2, 1, 1])
      assert.deepEqual(await documents.listWithoutWords(context.id, VERSION, { after: 0, limit: 10 }), [older])
    })
  })

  test('returns the chunks of a findable document before its completion only on request', async (storage) => {
    const { id, uuid, contextId } = await storage.transaction(async (repositories) => {
      const context = await seedContext(repositories, await seedCompany(repositories))
      const document = await seedDocument(repositories, context, UUIDS[0] ?? '')
      await repositories.chunks.insert(document.id, [newChunk(0), newChunk(1)])
      return document
    })
    const keys = [0, 1].map((ordinal) => ({ documentId: id, ordinal }))
    const count = async (findsEarly: boolean): Promise<number> => {
      const byWords = { version: VERSION, findsEarly }
      return (await storage.read(({ chunks }) => chunks.findVisible(contextId, keys, { byWords }))).length
    }
    const update = async (changes: object): Promise<void> => {
      await storage.transaction(({ documents }) => documents.update(id, changes))
    }
    assert.equal(await count(true), 0)
    await update({ wordsVersion: VERSION - 1 })
    assert.equal(await count(true), 0)
    await update({ wordsVersion: VERSION, embeddedChunks: 1 })
    assert.deepEqual([await count(true), await count(false)], [2, 0])
    assert.deepEqual(await storage.read(({ chunks }) => chunks.findVisible(contextId, keys)), [])
    const found = await storage.read(({ chunks }) =>
      chunks.findVisible(contextId, keys, { byWords: { version: VERSION, findsEarly: true } }),
    )
    const facts = found.map(({ ordinal, hasVectors, documentUuid, originalName, nameIndex }) => {
      return [ordinal, hasVectors, documentUuid, originalName, nameIndex]
    })
    assert.deepEqual(facts.sort(), [
      [0, true, uuid, 'report.pdf', 0],
      [1, false, uuid, 'report.pdf', 0],
    ])
    await update({ error: 'it failed (ERR_MODEL)' })
    assert.equal(await count(true), 0)
    await update({ error: null, deleted: NOW })
    assert.equal(await count(true), 0)
  })

  test('returns the chunks of a document from a given ordinal on, and windows by their keys', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { chunks } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const { id } = await seedDocument(repositories, context, UUIDS[0] ?? '')
      const other = await seedDocument(repositories, context, UUIDS[1] ?? '')
      const windows = [
        { start: 0, end: 5, tokens: 1, hash: 'first' },
        { start: 3, end: 9, tokens: 2, hash: 'second' },
      ]
      const made = [newChunk(0), { ...newChunk(1, 'two parts'), windows }, newChunk(2)]
      await chunks.insert(id, made)
      await chunks.insert(other.id, [newChunk(0, 'another')])
      assert.deepEqual(await chunks.page(id, { ordinal: 0, limit: 2 }), made.slice(0, 2))
      assert.deepEqual(await chunks.page(id, { ordinal: 1, limit: 9 }), made.slice(1))
      assert.deepEqual(await chunks.page(id, { ordinal: 3, limit: 9 }), [])
      const key = { documentId: id, chunk: 1, window: 1 }
      const found = await chunks.listWindows([key, { ...key, window: 2 }, { ...key, documentId: 999 }])
      assert.deepEqual(found, [{ ...key, ...windows[1] }])
      assert.deepEqual(await chunks.listWindows([]), [])
    })
  })
}

/** The ids of this list that are visible, by either of the two lists. */
function shownBy({ lastId, hidden, visible }: DocumentVisibility, ids: readonly number[]): number[] {
  const byHidden = ids.filter((id) => id <= lastId && !hidden.includes(id))
  if (visible !== undefined) assert.deepEqual(visible, byHidden)
  return byHidden
}
