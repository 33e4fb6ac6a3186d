import { readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { MemoryLexicalIndex } from '../../../../adapters/memory/index.js'
import { SqliteLexicalIndex, type SqliteLexicalOptions } from '../../../../adapters/words/index.js'
import type { DocumentIds, LexicalAnswer, LexicalIndex } from '../../../../src/ports/index.js'
import { generateTexts, textRows, weighed } from '../../../conformance/lexical-rows.js'
import { sized } from '../../../full-form.js'
import { leastOfLongestWorkMs } from '../../../ingestion/loop-stops.js'
import { seededRandom } from '../../../seeded-random.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const NAME = 'context-1-words-1'
/** Documents of 50 chunks. */
const MANY = sized(100, 240)
const { documents, questions } = generateTexts(40, 25)
const best = ({ hits }: LexicalAnswer): string[] => hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`)

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
  work: (index: SqliteLexicalIndex) => Promise<void>,
  options: SqliteLexicalOptions = {},
): Promise<void> {
  const index = new SqliteLexicalIndex(words, options)
  try {
    await work(index)
  } finally {
    await index.close()
  }
}

async function each(index: LexicalIndex, work: (index: LexicalIndex) => Promise<void>): Promise<void> {
  await Promise.all([work(index), work(memory)])
}

/** Compares all hits of each query with those of the index in memory, which scores every chunk. */
async function expectAsInMemory(index: LexicalIndex, filter?: DocumentIds): Promise<void> {
  for (const question of questions.slice(0, 8)) {
    const options = { limit: 3_000, ...(filter && { documents: filter }) }
    const [found, expected] = [
      await index.search(NAME, question, options),
      await memory.search(NAME, question, options),
    ]
    expect(best(found).sort()).toEqual(best(expected).sort())
    expect(found.maximum).toBeCloseTo(expected.maximum, 6)
    for (const [at, { score }] of found.hits.entries()) expect(score).toBeCloseTo(expected.hits[at]?.score ?? 0, 6)
  }
}

/** Reads one number from a file, through its own connection beside the index. */
async function readValue(file: string, statement: string): Promise<unknown> {
  const knex = openSqlite(file)
  try {
    const [row] = await knex.raw<{ found: unknown }[]>(statement)
    return row?.found
  } finally {
    await knex.destroy()
  }
}

describe('a word index in SQLite', () => {
  it('returns exactly the hits of the index in memory over additions, deletions, purges and restarts', async () => {
    await withIndex(async (index) => {
      for (const rows of documents) await each(index, async (one) => await one.add(NAME, rows))
      await expectAsInMemory(index)
      await expectAsInMemory(index, { only: [3, 4, 5, 6, 7, 99] })
      await expectAsInMemory(index, { except: [1, 2, 3, 4, 5] })
      for (const { documentId } of documents.slice(0, 30)) {
        const fromChunk = documentId % 3 === 0 ? 20 : 0
        await each(index, async (one) => await one.deleteDocument(NAME, documentId, fromChunk))
      }
      for (const rows of documents.slice(0, 5)) await each(index, async (one) => await one.add(NAME, rows))
      // The additions replace some chunks, which may count until they are purged.
      await index.purge()
      await expectAsInMemory(index)
      expect(index.maintenanceError).toBeUndefined()
    })
    await withIndex(async (index) => {
      for (const rows of documents.slice(5, 9)) await each(index, async (one) => await one.add(NAME, rows))
      await index.purge()
      await expectAsInMemory(index)
      expect(await index.countByDocument(NAME)).toEqual(await memory.countByDocument(NAME))
    })
  })

  it(`finds the best of ${String(50 * MANY)} chunks, with filters and after the deletion of the best ones`, async () => {
    const many = generateTexts(MANY, 4)
    const limit = 10
    const expectBest = async (index: LexicalIndex, filter?: DocumentIds): Promise<void> => {
      for (const question of many.questions) {
        const options = { limit, ...(filter && { documents: filter }) }
        const expected = await memory.search(NAME, question, options)
        const { hits, maximum } = await index.search(NAME, question, options)
        expect(maximum).toBeCloseTo(expected.maximum, 6)
        expect(hits.length).toBe(expected.hits.length)
        for (const [at, { score }] of hits.entries()) expect(score).toBeCloseTo(expected.hits[at]?.score ?? 0, 6)
        const nearly = await index.search(NAME, question, { ...options, tolerance: 0.05 })
        const exact = await memory.search(NAME, question, { limit: 12_000 })
        const exactOf = new Map(exact.hits.map((hit) => [`${hit.documentId}:${hit.chunk}`, hit.score]))
        const scores = await nearly.scoresOf(exact.hits.slice(0, 50))
        const most = 0.05 * maximum
        for (const [at, { score }] of exact.hits.slice(0, 50).entries()) expect(scores[at]).toBeCloseTo(score, 6)
        const { shortfall = 0 } = nearly
        expect(shortfall).toBeLessThanOrEqual(most)
        for (const { documentId, chunk, score } of nearly.hits) {
          expect(score).toBeGreaterThanOrEqual((exactOf.get(`${documentId}:${chunk}`) ?? 0) - shortfall - 1e-6)
        }
      }
    }
    await withIndex(async (index) => {
      for (const rows of many.documents) await each(index, async (one) => await one.add(NAME, rows))
      await expectBest(index)
      await expectBest(index, { except: [1, 2, 3, 200] })
      await expectBest(index, { only: [7, 8, 9, 10, 150] })
      for (const question of many.questions) {
        const { hits } = await memory.search(NAME, question, { limit: 60 })
        for (const id of new Set(hits.map(({ documentId }) => documentId))) {
          await each(index, async (one) => await one.deleteDocument(NAME, id, 0))
        }
        // Deleted chunks count in the statistics until they are purged, but no search returns them.
        const left = await memory.countByDocument(NAME)
        const found = (await index.search(NAME, question, { limit })).hits
        const there = (await memory.search(NAME, question, { limit })).hits
        expect(found).toHaveLength(there.length)
        for (const { documentId } of found) expect(left.has(documentId)).toBe(true)
      }
    })
  })

  it('frees the disk space of deleted words and keeps additions made during the purge', async () => {
    // Without maintenance, no purge begins before the last deletion: the chunks that follow it would be too few for another.
    await withIndex(
      async (index) => {
        for (const rows of documents) await each(index, async (one) => await one.add(NAME, rows))
        for (const { documentId } of documents.slice(0, 38))
          await each(index, async (one) => await one.deleteDocument(NAME, documentId, 0))
      },
      { maintains: false },
    )
    const before = (await stat(join(words, `${NAME}.sqlite`))).size
    await withIndex(async (index) => {
      let [isPurged, duringPurge] = [false, 0]
      const purged = index.whenMaintained().then(() => {
        isPurged = true
      })
      for (let id = 100; id < 120; id += 1) {
        await each(index, async (one) => await one.add(NAME, textRows(id, ['w1', `own-${id}`], ['w2', 'w3'])))
        if (!isPurged) duringPurge += 1
      }
      await purged
      expect(duringPurge).toBeGreaterThan(0)
      await index.whenMaintained()
      await expectAsInMemory(index)
    })
    expect((await stat(join(words, `${NAME}.sqlite`))).size).toBeLessThan(before / 3)
  })

  it('finds the hits of the index in memory among the documents of a long list, whatever share of it exists', async () => {
    await withIndex(async (index) => {
      for (const rows of documents) await each(index, async (one) => await one.add(NAME, rows))
      const ids = documents.map(({ documentId }) => documentId)
      const unknown = Array.from({ length: 2_500 }, (_, at) => 1_000 + at)
      for (const known of [ids, ids.slice(0, 20), ids.slice(0, 2), []]) {
        const only = [...known, ...unknown]
        for (const question of questions.slice(0, 8)) {
          const options = { limit: 12, documents: { only } }
          const [found, expected] = await Promise.all([index, memory].map((one) => one.search(NAME, question, options)))
          const scores = (answer: LexicalAnswer | undefined) => answer?.hits.map(({ score }) => score.toFixed(6))
          expect(scores(found)).toEqual(scores(expected))
          for (const { documentId } of found?.hits ?? []) expect(known).toContain(documentId)
        }
      }
    })
  })

  it('purges documents that are deleted one by one without a call, including the last ones', async () => {
    await withIndex(async (index) => {
      for (const rows of documents) await index.add(NAME, rows)
      for (const { documentId } of documents) await index.deleteDocument(NAME, documentId, 0)
      // A purge counts the deleted chunks down in its last step.
      await expect
        .poll(async () => await readValue(join(words, `${NAME}.sqlite`), 'select deleted as found from state'), {
          timeout: 10_000,
        })
        .toBe(0)
      expect(await readValue(join(words, `${NAME}.sqlite`), 'select count(*) as found from postings')).toBe(0)
    })
  })

  it('finds new chunks where a purge has removed as many, although earlier searches keep postings in memory', async () => {
    await withIndex(async (index) => {
      const chunks = Array.from({ length: 300 }, () => ['common'])
      await index.add(NAME, textRows(1, ...chunks))
      const find = async (): Promise<Set<number>> => {
        const { hits } = await index.search(NAME, weighed('common'), { limit: 1_000 })
        expect(hits).toHaveLength(chunks.length)
        return new Set(hits.map(({ documentId }) => documentId))
      }
      expect(await find()).toEqual(new Set([1]))
      await index.deleteDocument(NAME, 1, 0)
      await index.whenMaintained()
      await index.add(NAME, textRows(2, ...chunks))
      expect(await find()).toEqual(new Set([2]))
    })
  })

  it('finds similar words after a purge has removed the first of their chunks', async () => {
    await withIndex(async (index) => {
      for (let id = 1; id <= 3; id += 1) await index.add(NAME, textRows(id, ['lighthouse', 'red'], ['lighthouses']))
      const find = async (): Promise<string[]> =>
        best(await index.search(NAME, weighed('lighthouse'), { limit: 10, similarTo: new Set(['lighthouse']) })).sort()
      expect(await find()).toEqual(['1:0', '1:1', '2:0', '2:1', '3:0', '3:1'])
      await index.deleteDocument(NAME, 1, 0)
      expect(await find()).toEqual(['2:0', '2:1', '3:0', '3:1'])
      await index.purge()
      expect(await find()).toEqual(['2:0', '2:1', '3:0', '3:1'])
      await index.add(NAME, textRows(4, ['lighthouseman']))
      expect(await find()).toEqual(['2:0', '2:1', '3:0', '3:1', '4:0'])
    })
  })

  it('finds what another process adds and no longer what it deletes, search after search', async () => {
    await withIndex(async (writer) => {
      await withIndex(
        async (reader) => {
          for (let id = 1; id <= 8; id += 1) {
            await writer.add(NAME, textRows(id, ['common', `own-${id}`], ['common']))
            if (id > 3) await writer.deleteDocument(NAME, id - 3, 0)
            const { hits } = await reader.search(NAME, weighed('common', `own-${id}`), { limit: 100 })
            const expected = [id - 2, id - 1, id].filter((one) => one > 0).flatMap((one) => [`${one}:0`, `${one}:1`])
            expect(hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`).sort()).toEqual(expected)
          }
        },
        { maintains: false },
      )
    })
  })

  it('counts each term correctly, even with additions between the steps of a purge', async () => {
    await withIndex(async (index) => {
      const rows = (documentId: number): Parameters<LexicalIndex['add']>[1] =>
        textRows(documentId, ...Array.from({ length: 300 }, (_, at) => ['common', `own-${documentId}-${at}`]))
      for (let id = 1; id <= 6; id += 1) await each(index, async (one) => await one.add(NAME, rows(id)))
      for (let id = 1; id <= 3; id += 1) await each(index, async (one) => await one.deleteDocument(NAME, id, id))
      const purged = index.whenMaintained()
      for (let id = 7; id <= 14; id += 1) await each(index, async (one) => await one.add(NAME, rows(id)))
      await purged
      const wrong = `select count(*) as found from postings as row where before <> (
        select coalesce(sum(length(postings)) / 8, 0) from postings where term = row.term and first < row.first)`
      expect(await readValue(join(words, `${NAME}.sqlite`), wrong)).toBe(0)
    })
  })

  it('finds the hits of the index in memory in over 10,000 chunks; other scores are exact', async () => {
    const random = seededRandom(11)
    const word = (): string => `w${Math.floor(5_000 ** random())}`
    const terms = Array.from({ length: 10_500 }, (_, at) => ['the', `own-${at}`, ...Array.from({ length: 12 }, word)])
    const rows = { documentId: 1, chunks: terms.map((_, at) => at), terms }
    await withIndex(async (index) => {
      await each(index, async (one) => await one.add(NAME, rows))
      let [found, wanted] = [0, 0]
      for (let asked = 0; asked < 20; asked += 1) {
        const query = new Map([['the', 1], ...Array.from({ length: 6 }, () => [word(), 0.5 + random()] as const)])
        const exact = await memory.search(NAME, query, { limit: 10_500 })
        const scores = new Map(exact.hits.map((hit) => [hit.chunk, hit.score]))
        const { hits, maximum, scoresOf } = await index.search(NAME, query, { limit: 10 })
        expect(maximum).toBeCloseTo(exact.maximum, 6)
        for (const { chunk, score } of hits) {
          expect(score).toBeCloseTo(scores.get(chunk) ?? 0, 6)
        }
        const nearly = await index.search(NAME, query, { limit: 10, tolerance: 0.05 })
        expect(nearly.hits).toHaveLength(10)
        for (const { chunk, score } of nearly.hits) {
          expect((scores.get(chunk) ?? 0) - score).toBeLessThanOrEqual(0.05 * maximum)
          expect((scores.get(chunk) ?? 0) - score).toBeGreaterThan(-1e-6)
        }
        expect(await scoresOf(hits)).toEqual(hits.map(({ score }) => score))
        const others = exact.hits.filter((_, at) => at % 500 === 499)
        for (const [at, score] of (await scoresOf(others)).entries()) {
          expect(score).toBeCloseTo(others[at]?.score ?? 0, 6)
        }
        const least = (exact.hits[9]?.score ?? 0) * 0.999
        found += hits.filter(({ chunk }) => (scores.get(chunk) ?? 0) >= least).length
        wanted += 10
      }
      expect(found).toBe(wanted)
      const few = await index.search(NAME, weighed('the', 'own-77'), { limit: 10 })
      expect(few.hits).toHaveLength(10)
      expect(few.hits[0]?.chunk).toBe(77)
    })
  })

  it('searches and writes without blocking the event loop', async () => {
    await withIndex(async (index) => {
      const { documents: many } = generateTexts(60, 0)
      const rows = { chunks: [] as number[], terms: [] as (readonly string[])[] }
      for (const { terms } of many) {
        rows.chunks.push(...terms.map((_, at) => rows.chunks.length + at))
        rows.terms.push(...terms)
      }
      let documentId = 0
      const longestMs = await leastOfLongestWorkMs(async () => {
        documentId += 1
        await index.add(NAME, { ...rows, documentId })
        for (const question of questions) await index.search(NAME, question, { limit: 50 })
      })
      expect(longestMs).toBeLessThan(50)
    })
  })

  it.each<[string, (file: string) => Promise<void>]>([
    ['cut off', async (file) => await truncate(file, 5_000)],
    ['overwritten', async (file) => await writeFile(file, Buffer.alloc(50_000, 7))],
  ])('reports a file that is %s as damaged, and can drop it', async (_what, damage) => {
    await withIndex(async (index) => await index.add(NAME, textRows(1, ['apple', 'pear'], ['plum'])))
    expect(await readdir(words)).toEqual([`${NAME}.sqlite`])
    await damage(join(words, `${NAME}.sqlite`))
    await withIndex(async (index) => {
      const damaged = {
        code: 'ERR_VECTORS_DAMAGED',
        message: expect.stringContaining(`the words of ${NAME}`) as string,
      }
      await expect(index.search(NAME, weighed('apple'), { limit: 1 })).rejects.toMatchObject(damaged)
      await expect(index.add(NAME, textRows(2, ['apple']))).rejects.toMatchObject(damaged)
      await index.drop(NAME)
      expect(await index.listCollections()).toEqual([])
      await index.add(NAME, textRows(2, ['apple']))
      expect(best(await index.search(NAME, weighed('apple'), { limit: 5 }))).toEqual(['2:0'])
    })
  })

  it('copies collections during writes and omits damaged ones', async () => {
    const copy = join(folder.path, 'copy')
    await withIndex(async (index) => {
      await index.add('damaged', textRows(1, ['apple']))
      for (const rows of documents.slice(0, 10)) await each(index, async (one) => await one.add(NAME, rows))
    })
    await writeFile(join(words, 'damaged.sqlite'), Buffer.alloc(50_000, 7))
    await withIndex(async (index) => {
      const more = index.add(NAME, textRows(50, ['only-in-the-source']))
      await index.copyTo(copy)
      await more
    })
    const copied = new SqliteLexicalIndex(copy)
    expect(await copied.listCollections()).toEqual([NAME])
    await copied.deleteDocument(NAME, 50, 0)
    await copied.whenMaintained()
    expect(await copied.countByDocument(NAME)).toEqual(await memory.countByDocument(NAME))
    await copied.close()
    expect((await stat(join(copy, `${NAME}.sqlite`))).mode & 0o077).toBe(0)
  })

  it('keeps few files open for many collections, and drops collections during searches', async () => {
    await withIndex(async (index) => {
      const names = Array.from({ length: 80 }, (_, at) => `c-${at}`)
      await Promise.all(names.map((name, at) => index.add(name, textRows(at, ['apple', name]))))
      const open = (await readdir('/proc/self/fd').catch(() => [])).length
      expect(open).toBeLessThan(64 * 6 + 200)
      const answers = await Promise.all(names.map((name) => index.search(name, weighed(name), { limit: 5 })))
      expect(answers.map((answer) => best(answer))).toEqual(names.map((_, at) => [`${at}:0`]))
      const searches = names.map((name) => index.search(name, weighed('apple'), { limit: 5 }))
      const drops = names.map((name) => index.drop(name))
      for (const { hits } of await Promise.all(searches)) expect(hits.length).toBeLessThan(2)
      await Promise.all(drops)
      expect(await readdir(words)).toEqual([])
    })
  })

  it('scores any chunks after a search, even after the file was closed, but not after a drop', async () => {
    const many = generateTexts(sized(60, 240), 2)
    await withIndex(async (index) => {
      for (const rows of many.documents) await each(index, async (one) => await one.add(NAME, rows))
      for (const question of many.questions) {
        const exact = (await memory.search(NAME, question, { limit: 100 })).hits
        const { scoresOf } = await index.search(NAME, question, { limit: 10 })
        // The index keeps 32 files open.
        for (let other = 0; other < 40; other += 1) await index.add(`other-${other}`, textRows(1, ['w1']))
        for (const [at, score] of (await scoresOf(exact)).entries()) {
          expect(score).toBeCloseTo(exact[at]?.score ?? 0, 6)
        }
      }
      const [question = new Map()] = many.questions
      const { hits, scoresOf } = await index.search(NAME, question, { limit: 10 })
      await index.drop(NAME)
      expect(await scoresOf(hits)).toEqual(hits.map(() => 0))
      for (const rows of documents) await index.add(NAME, rows)
      expect(await scoresOf(hits)).toEqual(hits.map(() => 0))
    })
  })

  it.each([1, 99])('refuses a file of layout %i, and makes another one after a drop', async (layout) => {
    await withIndex(async (index) => await index.add(NAME, textRows(1, ['apple'])))
    await readValue(join(words, `${NAME}.sqlite`), `pragma user_version = ${layout}`)
    await withIndex(async (index) => {
      await expect(index.count(NAME, 1)).rejects.toMatchObject({
        code: 'ERR_VECTORS_DAMAGED',
        message: expect.stringContaining(`the words have layout ${layout}`) as string,
      })
      await index.drop(NAME)
      await index.add(NAME, textRows(1, ['apple']))
      expect(await index.count(NAME, 1)).toBe(1)
    })
  })
})
