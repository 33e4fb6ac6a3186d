import { join } from 'node:path'
import { connect, type Table } from '@lancedb/lancedb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { schemaOfWords } from '../../adapters/lancedb/arrow-words.js'
import { LanceDbLexicalIndex } from '../../adapters/lancedb/index.js'
import { temporaryFolder } from '../temporary-folder.js'
import { lookIntoTable } from './look-into-table.js'

const COLLECTION = 'context-1-words-1'
const QUERY = new Map([['apple', 1]])

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let index: LanceDbLexicalIndex

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await index.close()
  await folder.remove()
})

async function looking<T>(look: (table: Table) => Promise<T>): Promise<T> {
  return await lookIntoTable(join(folder.path, 'words'), COLLECTION, look)
}

async function addChunks(documentId: number, count: number): Promise<void> {
  const chunks = Array.from({ length: count }, (_, at) => at)
  const terms = chunks.map((chunk) => (chunk % 2 === 0 ? ['apple', `n${chunk}`] : [`n${chunk}`, 'pear', 'fig']))
  await index.add(COLLECTION, { documentId, chunks, terms })
}

/** Even chunks have the word, odd ones do not, and there are no others. */
async function expectScored(documents: readonly number[]): Promise<void> {
  const { hits, scoresOf } = await index.search(COLLECTION, QUERY, { limit: 1 })
  const best = hits[0]?.score ?? 0
  expect(best).toBeGreaterThan(0)
  for (const documentId of documents) {
    const scores = await scoresOf([4, 3, 0, 100_000].map((chunk) => ({ documentId, chunk })))
    expect(scores).toEqual([expect.closeTo(best, 4), 0, expect.closeTo(best, 4), 0])
  }
}

describe('Scores of chunks in LanceDB', () => {
  it('are those of a table of an earlier version, before and after it gets the key of chunks', async () => {
    const connection = await connect(join(folder.path, 'words'))
    await connection.createEmptyTable(COLLECTION, schemaOfWords(false))
    connection.close()
    index = new LanceDbLexicalIndex(join(folder.path, 'words'))
    await addChunks(1, 6)
    await addChunks(2_000_000_000, 6)
    await expectScored([1, 2_000_000_000])
    await index.whenMaintained()
    expect(index.maintenanceError).toBeUndefined()
    expect(await looking(async (table) => (await table.schema()).names)).toContain('chunk_key')
    await addChunks(3, 6)
    await expectScored([1, 2_000_000_000, 3])
    const keys = await looking((table) => table.countRows('chunk_key = document * 4294967296 + chunk'))
    expect(keys).toBe(18)
  })

  it('are found by an index on that key once a table is large, among them those added since', async () => {
    index = new LanceDbLexicalIndex(join(folder.path, 'words'))
    for (let id = 1; id <= 6; id += 1) await addChunks(id, 1_000)
    await index.whenMaintained()
    const indexed = await looking(async (table) => (await table.listIndices()).flatMap(({ columns }) => columns))
    expect(indexed).toEqual(expect.arrayContaining(['document', 'chunk_key']))
    await addChunks(7, 5)
    await expectScored([1, 6, 7])
  })
})
