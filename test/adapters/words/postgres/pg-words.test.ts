import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openPostgres } from '../../../../adapters/knex/index.js'
import { MemoryLexicalIndex } from '../../../../adapters/memory/index.js'
import { PgLexicalIndex, type PgLexicalOptions } from '../../../../adapters/words/index.js'
import type { DocumentIds, LexicalHit, LexicalIndex, LexicalQuery, LexicalRows } from '../../../../src/ports/index.js'
import { lexicalIndexSuite } from '../../../conformance/index.js'
import { sized } from '../../../full-form.js'
import { seededRandom } from '../../../seeded-random.js'
import { statementLimits } from '../../../servers/statement-limits.js'

/** Without a server, the run reports at its start that it skips the tests on PostgreSQL. */
const SERVER_URL: string | undefined = process.env['ALCOVE_TEST_DATABASE_URL']

const COLLECTION = 'context-1-words'
/** Chunks of each document of a large collection. */
const CHUNKS = sized(40, 200)
/** Interrupted additions, after which there are no more. */
const ENOUGH_FAILURES = sized(3, 8)
const sequence = (length: number, first = 1): number[] => Array.from({ length }, (_, number) => first + number)
const keysOf = (hits: readonly LexicalHit[]): string[] => hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`)

/** Chunks of words whose frequencies fall as in a natural language. */
function texts(documentId: number, chunks: number, random: () => number): LexicalRows {
  const terms = sequence(chunks).map(() => sequence(10 + Math.floor(random() * 20)).map(() => word(random)))
  return { documentId, chunks: sequence(chunks, 0), terms }
}

function word(random: () => number): string {
  return `w${Math.floor(20_000 ** random())}`
}

describe.skipIf(SERVER_URL === undefined)('a word index in PostgreSQL', () => {
  let knex: Knex

  beforeAll(() => {
    knex = openPostgres(SERVER_URL ?? '', { maxConnections: 4 })
  })

  afterAll(async () => {
    await knex.destroy()
  })

  /** Options for an index with its own tables in one database. */
  function options(): Pick<PgLexicalOptions, 'knex' | 'keepKnex'> & { readonly tablePrefix: string } {
    return { knex, keepKnex: true, tablePrefix: `t${randomUUID().replaceAll('-', '').slice(0, 20)}_` }
  }

  /** Counts of the rows and postings of the first collection, and of deleted chunks that still have postings. */
  async function stored(tablePrefix: string): Promise<{ rows: number; postings: number; deleted: number }> {
    const found = await knex.raw<{ rows: Record<'rows' | 'bytes' | 'deleted', string>[] }>(
      `select count(*) as rows, coalesce(sum(octet_length(postings)), 0) as bytes,
       (select deleted from ??) as deleted from ??`,
      [`${tablePrefix}words_1_state`, `${tablePrefix}words_1`],
    )
    const [row] = found.rows
    return { rows: Number(row?.rows), postings: Number(row?.bytes) / 8, deleted: Number(row?.deleted) }
  }

  /** Share of the reference's ten best hits that an index finds. Any of several equal hits counts. */
  async function overlap(
    index: LexicalIndex,
    reference: LexicalIndex,
    queries: readonly LexicalQuery[],
    documents?: DocumentIds,
  ): Promise<number> {
    let [found, wanted] = [0, 0]
    for (const query of queries) {
      const search = { limit: 10, ...(documents && { documents }) }
      const { hits: best } = await reference.search(COLLECTION, query, search)
      const { hits } = await index.search(COLLECTION, query, search)
      const least = (best.at(-1)?.score ?? 0) * 0.999
      wanted += best.length
      found += new Set(keysOf(hits.filter(({ score }) => score >= least))).size
    }
    return found / wanted
  }

  lexicalIndexSuite({ describe, it }, 'PostgreSQL', async () => {
    const port = new PgLexicalIndex(options())
    return { port, dispose: async () => await port.close() }
  })

  it(`finds the hits of the reference among ${100 * CHUNKS} chunks, before and after merges, purges and a new process`, async () => {
    const random = seededRandom(3)
    const shared = options()
    const [index, reference] = [new PgLexicalIndex(shared), new MemoryLexicalIndex()]
    for (const documentId of sequence(100)) {
      const rows = texts(documentId, CHUNKS, random)
      for (const each of [index, reference]) await each.add(COLLECTION, rows)
    }
    const queries = sequence(12).map(() => new Map(sequence(8).map(() => [word(random), 0.5 + random()])))
    const filters = [undefined, { except: [3, 50, 99] }, { only: sequence(30, 20) }, { except: sequence(95) }]
    for (const filter of filters) expect(await overlap(index, reference, queries, filter)).toBeGreaterThanOrEqual(0.95)
    await index.whenMaintained()
    const merged = await stored(shared.tablePrefix)
    const most = await knex.raw<{ rows: { rows: string }[] }>(
      'select count(*) as rows from ?? where level < 4 group by term, level order by 1 desc limit 1',
      [`${shared.tablePrefix}words_1`],
    )
    // 100 rows before the merges: each merge takes the rows of earlier merges too.
    expect(Number(most.rows[0]?.rows)).toBeLessThan(16)
    for (const filter of filters) expect(await overlap(index, reference, queries, filter)).toBeGreaterThanOrEqual(0.95)

    for (const documentId of sequence(100).filter((each) => each % 3 !== 0)) {
      for (const each of [index, reference])
        await each.deleteDocument(COLLECTION, documentId, documentId % 2 === 0 ? 0 : CHUNKS * 0.75)
    }
    // Deleted chunks may still count in the statistics, but no search returns them.
    for (const query of queries) {
      const { hits } = await index.search(COLLECTION, query, { limit: 100 })
      const kept = new Set(keysOf((await reference.search(COLLECTION, query, { limit: 20_000 })).hits))
      expect([hits.length, keysOf(hits).filter((key) => !kept.has(key))]).toEqual([Math.min(100, kept.size), []])
    }
    await index.whenMaintained()
    const purged = await stored(shared.tablePrefix)
    const kept = [...(await reference.countByDocument(COLLECTION)).values()].reduce((sum, chunks) => sum + chunks)
    expect(purged.deleted).toBeLessThan(kept / 4)
    expect(purged.postings).toBeLessThan(merged.postings * 0.8)
    expect(index.maintenanceError).toBeUndefined()
    const other = new PgLexicalIndex(shared)
    expect(await other.countByDocument(COLLECTION)).toEqual(await reference.countByDocument(COLLECTION))
    for (const each of [index, other]) await each.close()
  }, 180_000)

  it('answers calls that users wait for within ten seconds, and gives additions more time', async () => {
    const index = new PgLexicalIndex(options())
    const rows = { documentId: 1, chunks: [0], terms: [['lighthouse']] }
    expect(await statementLimits(knex, async () => await index.add(COLLECTION, rows))).toEqual([undefined])
    const query = new Map([['lighthouze', 1]])
    const similarTo = new Set(query.keys())
    const calls = [
      async () => await index.search(COLLECTION, query, { limit: 1, similarTo }),
      async () => await index.statistics(COLLECTION, ['lighthouse'], similarTo),
      async () => await index.countTerms(COLLECTION, ['lighthouse']),
      async () => await index.findTerms(COLLECTION, ['light']),
      async () => await index.listCollections(),
    ]
    for (const call of calls) expect(await statementLimits(knex, call)).toEqual([10_000])
    await index.close()
  })

  it('gives maintenance that a search starts more time than the search', async () => {
    const shared = options()
    // No index makes so many additions that it merges rows itself.
    for (const first of [0, 60, 120, 180]) {
      const index = new PgLexicalIndex(shared)
      for (const documentId of sequence(60, first + 1))
        await index.add(COLLECTION, { documentId, chunks: [0], terms: [['lighthouse']] })
      await index.close()
    }
    const index = new PgLexicalIndex(shared)
    const search = async (): Promise<void> => {
      await index.search(COLLECTION, new Map([['lighthouse', 1]]), { limit: 1 })
      await vi.waitFor(async () => expect((await stored(shared.tablePrefix)).rows).toBeLessThan(60), 20_000)
    }
    expect(await statementLimits(knex, search, "hashtext('merge')")).toEqual([undefined])
    await index.close()
  })

  it('gives no new numbers to words that it has: they would run out', async () => {
    const own = options()
    const index = new PgLexicalIndex(own)
    for (let documentId = 1; documentId <= 4; documentId += 1) {
      await index.add(COLLECTION, {
        documentId,
        chunks: [0],
        terms: [['lighthouse', 'garden', `new${'x'.repeat(documentId)}`]],
      })
    }
    const found = await knex.raw<{ rows: { count: string; last: number }[] }>(
      'select count(*) as count, max(id) as last from ??',
      [`${own.tablePrefix}words_1_terms`],
    )
    expect(found.rows).toEqual([{ count: '6', last: 6 }])
    await index.close()
  })

  it('does not count deleted chunks after their postings are purged', async () => {
    const random = seededRandom(4)
    const shared = options()
    const [index, reference] = [new PgLexicalIndex(shared), new MemoryLexicalIndex()]
    for (const documentId of sequence(3)) {
      const rows = texts(documentId, 200, random)
      for (const each of [index, reference]) await each.add(COLLECTION, rows)
    }
    for (const each of [index, reference]) await each.deleteDocument(COLLECTION, 2, 20)
    await index.whenMaintained()
    expect(await stored(shared.tablePrefix)).toMatchObject({ deleted: 0 })
    for (const query of sequence(20).map(() => new Map(sequence(8).map(() => [word(random), 0.5 + random()])))) {
      const { hits, maximum } = await index.search(COLLECTION, query, { limit: 500 })
      const expected = await reference.search(COLLECTION, query, { limit: 500 })
      expect(keysOf(hits).sort()).toEqual(keysOf(expected.hits).sort())
      expect(maximum).toBeCloseTo(expected.maximum, 6)
      for (const [at, { score }] of hits.entries()) expect(score).toBeCloseTo(expected.hits[at]?.score ?? 0, 6)
    }
    await index.close()
  })

  it('accepts concurrent additions of two processes, even to a collection that neither has opened', async () => {
    const shared = options()
    const others = openPostgres(SERVER_URL ?? '', { maxConnections: 2 })
    const [one, other] = [new PgLexicalIndex(shared), new PgLexicalIndex({ ...shared, knex: others })]
    const random = seededRandom(5)
    const documents = sequence(80)
    await Promise.all(
      documents.map(async (documentId) => {
        const index = documentId % 2 === 0 ? one : other
        await index.add(COLLECTION, texts(documentId, 3, random))
        await index.add(COLLECTION, { documentId, chunks: [3], terms: [['common', `own-${documentId}`]] })
        if (documentId % 8 === 0) await index.whenMaintained()
      }),
    )
    for (const index of [one, other]) {
      expect((await index.search(COLLECTION, new Map([['common', 1]]), { limit: 100 })).hits).toHaveLength(80)
      for (const documentId of documents) {
        const { hits } = await index.search(COLLECTION, new Map([[`own-${documentId}`, 1]]), { limit: 100 })
        expect(keysOf(hits)).toEqual([`${documentId}:3`])
      }
      expect(index.maintenanceError).toBeUndefined()
    }
    for (const index of [one, other]) await index.close()
    await others.destroy()
  })

  it('reads the current words of a collection that another process drops and creates again during searches', async () => {
    const shared = options()
    const [one, other] = [new PgLexicalIndex(shared), new PgLexicalIndex(shared)]
    const query = new Map([['apple', 1]])
    let isOver = false
    const seen = new Set<string>()
    await one.add(COLLECTION, { documentId: 1, chunks: [0], terms: [['apple']] })
    const searches = sequence(3).map(async () => {
      while (!isOver) seen.add(keysOf((await other.search(COLLECTION, query, { limit: 5 })).hits).join())
    })
    for (const documentId of sequence(15, 2)) {
      await one.drop(COLLECTION)
      await one.add(COLLECTION, { documentId, chunks: [0], terms: [['apple']] })
    }
    isOver = true
    await Promise.all(searches)
    const possible = new Set(['', ...sequence(16).map((documentId) => `${documentId}:0`)])
    expect([...seen].filter((each) => !possible.has(each))).toEqual([])
    expect(keysOf((await other.search(COLLECTION, query, { limit: 5 })).hits)).toEqual(['16:0'])
    await other.add(COLLECTION, { documentId: 20, chunks: [0], terms: [['apple']] })
    expect(await one.countByDocument(COLLECTION)).toEqual(new Map([16, 20].map((documentId) => [documentId, 1])))
    for (const each of [one, other]) await each.close()
  })

  it('stores all words of an interrupted addition or none', async () => {
    const shared = options()
    const doomedUrl = new URL(SERVER_URL ?? '')
    const name = `doomed-${randomUUID()}`
    doomedUrl.searchParams.set('application_name', name)
    const doomedKnex = openPostgres(doomedUrl.href, { maxConnections: 2 })
    const [doomed, index] = [new PgLexicalIndex({ ...shared, knex: doomedKnex }), new PgLexicalIndex(shared)]
    await doomed.add(COLLECTION, { documentId: 100, chunks: [0], terms: [['common']] })
    const random = seededRandom(9)
    let failures = 0
    for (const documentId of sequence(8)) {
      if (failures >= ENOUGH_FAILURES) break
      const rows = texts(documentId, 300, random)
      const addition = { isSettled: false }
      const added = doomed
        .add(COLLECTION, { ...rows, terms: rows.terms.map((terms) => ['common', ...terms]) })
        .then(() => true)
        .catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'ERR_STORAGE', isTransient: true })
          return false
        })
        .finally(() => (addition.isSettled = true))
      for (let isCut = false; !isCut && !addition.isSettled; ) {
        const cut = await knex.raw<{ rows: unknown[] }>(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = ? and query like 'insert into "%postings%'`,
          [name],
        )
        isCut = cut.rows.length > 0
      }
      const isAdded = await added
      if (!isAdded) failures += 1
      const { hits } = await index.search(COLLECTION, new Map([['common', 1]]), {
        limit: 1_000,
        documents: { only: [documentId] },
      })
      expect([hits.length, await index.count(COLLECTION, documentId)]).toEqual(isAdded ? [300, 300] : [0, 0])
    }
    expect(failures).toBeGreaterThan(0)
    await index.close()
    await doomed.close()
  }, 180_000)

  it('rejects a table prefix that is not a valid name', () => {
    expect(() => new PgLexicalIndex({ knex, tablePrefix: 'a"b' })).toThrow(/letters, digits and _/)
  })
})
