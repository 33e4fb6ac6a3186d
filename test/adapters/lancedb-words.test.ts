import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LanceDbLexicalIndex, type LanceOptions } from '../../adapters/lancedb/index.js'
import { MemoryLexicalIndex } from '../../adapters/memory/index.js'
import type { DocumentFilter, LexicalAnswer, LexicalQuery } from '../../src/ports/index.js'
import { generateTexts, textRows, weighed } from '../conformance/lexical-rows.js'
import { LoopStops } from '../ingestion/loop-stops.js'
import { temporaryFolder } from '../temporary-folder.js'
import { lookIntoTable } from './look-into-table.js'

const NAME = 'context-1-words-1'
const { documents, questions } = generateTexts(40, 25)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let words: string
let memory: MemoryLexicalIndex

beforeEach(async () => {
  folder = await temporaryFolder()
  words = join(folder.path, 'words')
  memory = new MemoryLexicalIndex()
})

afterEach(async () => {
  await folder.remove()
})

/** One life of a process: opens the index, works, closes it. */
async function withIndex(
  work: (index: LanceDbLexicalIndex) => Promise<void>,
  options: LanceOptions = {},
): Promise<void> {
  const index = new LanceDbLexicalIndex(words, options)
  try {
    await work(index)
  } finally {
    await index.close()
  }
}

/** Gives all documents to both indexes. */
async function addAll(index: LanceDbLexicalIndex): Promise<void> {
  for (const rows of documents) await Promise.all([index.add(NAME, rows), memory.add(NAME, rows)])
}

async function looking<T>(look: (table: Table) => Promise<T>): Promise<T> {
  return await lookIntoTable(words, NAME, look)
}

/** Compares the ten best of each question with those of the index in memory, which looks at every chunk. */
async function compare(
  index: LanceDbLexicalIndex,
  filter?: DocumentFilter,
  asked: readonly LexicalQuery[] = questions,
): Promise<{ recall: number; error: number }> {
  let [found, wanted, error] = [0, 0, 0]
  for (const question of asked) {
    const options = filter === undefined ? {} : { documents: filter }
    const exact = await memory.search(NAME, question, { limit: 2_000, ...options })
    const { hits } = await index.search(NAME, question, { limit: 10, ...options })
    const scores = new Map(exact.hits.map((hit) => [`${hit.documentId}:${hit.chunk}`, hit.score]))
    const least = (exact.hits[9]?.score ?? 0) * (1 - 1e-4)
    wanted += Math.min(10, exact.hits.length)
    for (const { documentId, chunk, score } of hits) {
      const expected = scores.get(`${documentId}:${chunk}`) ?? 0
      if (expected >= least) found += 1
      error = Math.max(error, Math.abs(score - expected) / expected)
    }
  }
  return { recall: found / wanted, error }
}

const best = ({ hits }: LexicalAnswer): string[] => hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`)

describe('a LanceDB table of words', () => {
  const table = () => join(words, `${NAME}.lance`)

  it.each<[string, () => Promise<void>]>([
    [
      'files are cut off',
      async () => {
        for (const name of await readdir(join(table(), 'data'))) await truncate(join(table(), 'data', name), 40)
      },
    ],
    ['files are gone', async () => await rm(join(table(), 'data'), { recursive: true })],
    ['index is gone', async () => await rm(join(table(), '_indices'), { recursive: true })],
  ])('whose %s is told to be damaged, by what it holds, and can be dropped', async (_what, damage) => {
    await withIndex(async (index) => {
      await index.add(NAME, textRows(1, ['apple', 'pear'], ['plum']))
      await index.whenMaintained()
    })
    await damage()
    await withIndex(async (index) => {
      const damaged = {
        code: 'ERR_VECTORS_DAMAGED',
        message: expect.stringContaining(`the words of ${NAME}`) as string,
      }
      await expect(index.search(NAME, weighed('apple'), { limit: 1 })).rejects.toMatchObject(damaged)
      await index.drop(NAME)
      expect(await index.listCollections()).toEqual([])
      await index.add(NAME, textRows(2, ['apple']))
      expect(best(await index.search(NAME, weighed('apple'), { limit: 5 }))).toEqual(['2:0'])
    })
  })

  it('is put in order after many small writes: everything indexed, few fragments, all found', async () => {
    await withIndex(async (index) => {
      const stops = new LoopStops()
      for (let id = 1; id <= 120; id += 1) {
        await index.add(NAME, textRows(id, ['apple', `own-${id}`], ['pear']))
        expect(best(await index.search(NAME, weighed(`own-${id}`), { limit: 5 }))).toEqual([`${id}:0`])
        if (id % 4 === 0) await index.deleteDocument(NAME, id, 1)
      }
      await index.whenMaintained()
      expect(index.maintenanceError).toBeUndefined()
      const [stats, indexed] = await looking(async (each) => [await each.stats(), await each.indexStats('terms_idx')])
      expect(indexed).toMatchObject({ numUnindexedRows: 0 })
      expect(stats.fragmentStats.numFragments).toBeLessThan(4)
      for (const id of [1, 4, 120]) {
        expect(best(await index.search(NAME, weighed(`own-${id}`), { limit: 5 }))).toEqual([`${id}:0`])
      }
      const { hits } = await index.search(NAME, weighed('pear'), { limit: 500 })
      expect(hits).toHaveLength(90)
      stops.end()
      expect(stops.longestWorkAtFullSpeedMs).toBeLessThan(50)
    })
  })

  it('is searched and written while a process of its own compacts it', async () => {
    await withIndex(
      async (index) => {
        await addAll(index)
        const state = { isDone: false }
        const maintained = index.whenMaintained().finally(() => {
          state.isDone = true
        })
        for (let id = 1_000; !state.isDone || id < 1_010; id += 1) {
          const rows = textRows(id, ['apple', `own-${id}`])
          await Promise.all([index.add(NAME, rows), memory.add(NAME, rows)])
          expect(best(await index.search(NAME, weighed(`own-${id}`), { limit: 5 }))).toEqual([`${id}:0`])
        }
        await maintained
        expect(index.maintenanceError).toBeUndefined()
        expect(await compare(index)).toEqual({ recall: 1, error: expect.closeTo(0, 4) as number })
      },
      { compactApartFromBytes: 0 },
    )
  })

  it('keeps what a former life has not indexed: found at once, and ranked as all others', async () => {
    await withIndex(async (index) => await addAll(index), { maintains: false })
    expect(await looking((each) => each.indexStats('terms_idx'))).toMatchObject({ numIndexedRows: 0 })
    await withIndex(
      async (index) => {
        const { recall, error } = await compare(index)
        expect(recall).toBeGreaterThan(0.99)
        expect(error).toBeLessThan(1e-4)
      },
      { maintains: false },
    )
  })

  it('finds what a former life has not indexed before many chunks that are indexed', async () => {
    const filler = Array.from({ length: 40 }, (_, at) => `filler-${at}`)
    const many = Array.from({ length: 300 }, (_, at) => ['apple', `n${at}`, ...filler.slice(0, at % 40)])
    await withIndex(async (index) => {
      await index.add(NAME, textRows(1, ...many))
      await index.whenMaintained()
    })
    await withIndex(async (index) => await index.add(NAME, textRows(2, ['apple', 'quince', ...filler])), {
      maintains: false,
    })
    expect(await looking((each) => each.indexStats('terms_idx'))).toMatchObject({ numUnindexedRows: 1 })
    await withIndex(
      async (index) => {
        expect(best(await index.search(NAME, weighed('apple', 'quince'), { limit: 3 }))[0]).toBe('2:0')
      },
      { maintains: false },
    )
  })

  it('does not find what was deleted, whether it was indexed or not', async () => {
    await withIndex(async (index) => {
      await index.add(NAME, textRows(1, ['apple'], ['apple'], ['apple']))
      await index.whenMaintained()
      await index.add(NAME, textRows(2, ['apple'], ['apple'], ['apple']))
      await Promise.all([index.deleteDocument(NAME, 1, 1), index.deleteDocument(NAME, 2, 1)])
      expect(best(await index.search(NAME, weighed('apple'), { limit: 9 }))).toEqual(['1:0', '2:0'])
      await index.add(NAME, textRows(2, ['apple'], ['apple']))
      await index.whenMaintained()
      expect(await index.count(NAME, 2)).toBe(3)
      await index.deleteDocument(NAME, 2, 0)
      expect(best(await index.search(NAME, weighed('apple'), { limit: 9 }))).toEqual(['1:0'])
    })
  })

  it('finds all that it should behind filters, however few documents pass', async () => {
    await withIndex(async (index) => {
      await addAll(index)
      await index.whenMaintained()
      for (const count of [1, 20, 39]) {
        const ids = documents.slice(0, count).map(({ documentId }) => documentId)
        const many = Array.from({ length: 20_000 }, (_, at) => 1_000 + at)
        for (const filter of [{ only: [...ids, ...many] }, { except: [...ids, ...many] }]) {
          const { recall, error } = await compare(index, filter, questions.slice(0, 6))
          expect(recall).toBeGreaterThan(0.99)
          expect(error).toBeLessThan(1e-4)
        }
      }
    })
  })

  it('answers questions of frequent terms, of rare ones, of many, and of none that is a term', async () => {
    await withIndex(async (index) => {
      await addAll(index)
      await index.whenMaintained()
      const queries: LexicalQuery[] = [
        weighed('w0'),
        weighed('w0', 'w1', 'w2'),
        weighed('w3999', 'w3998'),
        weighed(...Array.from({ length: 300 }, (_, at) => `w${at * 3}`)),
        weighed('two words', '', 'w5'),
        weighed('two words', 'tab\tbed'),
      ]
      for (const query of queries) {
        const exact = await memory.search(NAME, query, { limit: 10 })
        const { hits, maximum } = await index.search(NAME, query, { limit: 10 })
        expect(maximum).toBeCloseTo(exact.maximum, 6)
        expect(hits.map(({ score }) => score.toFixed(5))).toEqual(exact.hits.map(({ score }) => score.toFixed(5)))
      }
    })
  })
})

describe('the statistics of a LanceDB table of words', () => {
  const file = () => join(words, `${NAME}.terms.bin`)

  beforeEach(async () => {
    await withIndex(async (index) => {
      await addAll(index)
      await index.whenMaintained()
    })
    expect((await readdir(words)).sort()).toEqual([`${NAME}.lance`, `${NAME}.terms.bin`])
  })

  it.each<[string, () => Promise<void>]>([
    ['there', () => Promise.resolve()],
    ['gone', async () => await rm(file())],
    ['cut off', async () => await truncate(file(), 1_000)],
    ['empty', async () => await truncate(file(), 0)],
    [
      'changed',
      async () => {
        const bytes = await readFile(file())
        bytes[99] = (bytes[99] ?? 0) ^ 1
        await writeFile(file(), bytes)
      },
    ],
  ])('are exact in the next life, where their file is %s', async (_what, change) => {
    await change()
    await withIndex(async (index) => {
      await index.search(NAME, weighed('w1'), { limit: 1 })
      const isExact = async (): Promise<boolean> => (await compare(index)).error < 1e-4
      await expect.poll(isExact, { timeout: 5_000 }).toBe(true)
      expect((await compare(index)).recall).toBeGreaterThan(0.99)
    })
  })

  it('are counted anew when most of the chunks are deleted, or were added without being counted', async () => {
    const stale = await readFile(file())
    const { documents: more } = generateTexts(60, 0)
    await withIndex(async (index) => {
      for (const rows of more.slice(40)) await Promise.all([index.add(NAME, rows), memory.add(NAME, rows)])
      await index.whenMaintained()
    })
    await writeFile(file(), stale)
    await withIndex(async (index) => {
      const isExact = async (): Promise<boolean> => (await compare(index)).error < 1e-4
      await expect.poll(isExact, { timeout: 5_000 }).toBe(true)
      for (const { documentId } of documents.slice(0, 20)) {
        await Promise.all([index.deleteDocument(NAME, documentId, 0), memory.deleteDocument(NAME, documentId, 0)])
      }
      await expect.poll(isExact, { timeout: 5_000 }).toBe(true)
    })
  })

  it('go with their table', async () => {
    await withIndex(async (index) => await index.drop(NAME))
    expect((await readdir(words)).filter((name) => name !== '.building')).toEqual([])
  })
})
