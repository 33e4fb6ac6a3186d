import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SqliteLexicalIndex } from '../../../../adapters/words/index.js'
import {
  deleteRuns,
  insertRuns,
  readChunks,
  readNumbers,
  readRanges,
  readState,
} from '../../../../adapters/words/sqlite/chunk-runs.js'
import { RunCache } from '../../../../adapters/words/sqlite/run-cache.js'
import { type WordFile, WordFiles } from '../../../../adapters/words/sqlite/word-files.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const NAME = 'context-1-words-1'
const DOCUMENTS = [1, 2, 3, 4]
const MAX_CHUNK = 12

/** Adds chunks of a document, or deletes those from an ordinal on, as an index does. */
const change = fc.record({
  isAddition: fc.boolean(),
  document: fc.constantFrom(...DOCUMENTS),
  from: fc.nat(MAX_CHUNK),
  count: fc.integer({ min: 1, max: 4 }),
})

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

describe('runs in memory', () => {
  it('answer as the statements do, after every change', async () => {
    let collection = 0
    const files = new WordFiles(folder.path)
    const property = fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      collection += 1
      const cache = new RunCache()
      await files.useOrMake(`c-${collection}`, async (file) => {
        const writer = await file.writer()
        await expectSame(cache, file)
        for (const { isAddition, document, from, count } of changes) {
          await deleteRuns(writer, document, from)
          if (isAddition) {
            const chunks = Array.from({ length: count }, (_, at) => from + at)
            await insertRuns(writer, { documentId: document, chunks, terms: chunks.map(() => ['word']) })
          }
          await expectSame(cache, file)
        }
      })
    })
    await fc.assert(property, { numRuns: 30 })
    await files.close()
  })

  it('stay until the file changes', async () => {
    const files = new WordFiles(folder.path)
    const cache = new RunCache()
    await files.useOrMake(NAME, async (file) => {
      const [reader, writer] = [await file.reader(), await file.writer()]
      await insertRuns(writer, { documentId: 1, chunks: [0, 1], terms: [['a'], ['b']] })
      const read = async () => await cache.read(NAME, reader, await readState(reader))
      // A collection that changes between two searches is not worth the memory.
      expect(await read()).toBeUndefined()
      const [first, same] = await Promise.all([read(), read()])
      expect(first).toBeDefined()
      expect(same).toBe(first)
      await deleteRuns(writer, 1, 1)
      expect(await read()).toBeUndefined()
      expect((await read())?.numbersOf([0, 1].map((chunk) => ({ documentId: 1, chunk })))).toEqual([0, undefined])
    })
    await files.close()
  })

  it('follow the writes of another index on the same files', async () => {
    const [one, other] = [new SqliteLexicalIndex(folder.path), new SqliteLexicalIndex(folder.path)]
    const found = async (): Promise<unknown> => {
      const { hits, scoresOf } = await one.search(NAME, new Map([['lamp', 1]]), { limit: 9 })
      const scores = await scoresOf([1, 2].map((documentId) => ({ documentId, chunk: 0 })))
      return [hits.map(({ documentId }) => documentId), scores.map((score) => score > 0)]
    }
    await other.add(NAME, { documentId: 1, chunks: [0], terms: [['lamp']] })
    for (let search = 1; search <= 3; search += 1) expect(await found()).toEqual([[1], [true, false]])
    await other.add(NAME, { documentId: 2, chunks: [0], terms: [['lamp']] })
    expect(await found()).toEqual([
      [1, 2],
      [true, true],
    ])
    await other.deleteDocument(NAME, 1, 0)
    for (let search = 1; search <= 3; search += 1) expect(await found()).toEqual([[2], [false, true]])
    await one.close()
    await other.close()
  })

  it('are those of the new file after a drop', async () => {
    const index = new SqliteLexicalIndex(join(folder.path, 'words'))
    await index.add(NAME, { documentId: 1, chunks: [0], terms: [['lamp']] })
    const search = async () => await index.search(NAME, new Map([['lamp', 1]]), { limit: 9 })
    await search()
    const before = await search()
    await index.drop(NAME)
    await index.add(NAME, { documentId: 2, chunks: [0], terms: [['lamp']] })
    await search()
    const { hits } = await search()
    expect(hits.map(({ documentId }) => documentId)).toEqual([2])
    // The number of the chunk means another document in the new file.
    expect(await before.scoresOf([{ documentId: 1, chunk: 0 }])).toEqual([0])
    await index.close()
  })
})

async function expectSame(cache: RunCache, file: WordFile): Promise<void> {
  const reader = await file.reader()
  const state = await readState(reader)
  await cache.read(NAME, reader, state)
  const runs = await cache.read(NAME, reader, state)
  expect(runs).toBeDefined()
  for (const filter of [{ only: [1, 3, 9] }, { except: [2] }, { except: [] }, { only: [] }]) {
    expect(runs?.rangesOf(filter)).toEqual(await readRanges(reader, filter))
  }
  const numbers = Array.from({ length: 60 }, (_, number) => number)
  expect(runs?.chunksOf(numbers)).toEqual(await readChunks(reader, numbers))
  const chunks = DOCUMENTS.flatMap((documentId) =>
    Array.from({ length: MAX_CHUNK + 5 }, (_, chunk) => ({ documentId, chunk })),
  )
  expect(runs?.numbersOf(chunks)).toEqual(await readNumbers(reader, state.id, chunks))
}
