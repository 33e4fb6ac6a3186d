import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import { MemoryVectorIndex } from '../../../../adapters/memory/index.js'
import type { DocumentIds, VectorHit, VectorRows } from '../../../../src/ports/index.js'
import { clusteredRows, clusteredVector } from '../../../clustered-vectors.js'
import { sized } from '../../../full-form.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const COLLECTION = { name: 'context-1-model', dimensions: 16 }
const DOCUMENTS = 60
const ROWS_PER_DOCUMENT = sized(120, 250)
/** A third of all rows. */
const INDEX_FROM_ROWS = (DOCUMENTS * ROWS_PER_DOCUMENT) / 3
const LEAST_HITS = 1_000
/** Documents whose centres are queries. */
const QUERIES = sized(15, DOCUMENTS)
const PLAN = `${COLLECTION.name}.search.json`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let vectors: string
const exact = new MemoryVectorIndex()

beforeAll(async () => {
  folder = await temporaryFolder()
  vectors = join(folder.path, 'vectors')
  for (let documentId = 1; documentId <= DOCUMENTS; documentId += 1) {
    await exact.add(COLLECTION, clusteredRows(documentId, ROWS_PER_DOCUMENT, COLLECTION.dimensions))
  }
})

afterAll(async () => {
  await folder.remove()
})

async function opened(indexFromRows: number, work: (index: LanceDbVectorIndex) => Promise<void>): Promise<void> {
  const index = new LanceDbVectorIndex(vectors, { indexFromRows })
  try {
    await work(index)
  } finally {
    await index.close()
  }
}

/** Documents that do not exist. With them, a list is long enough to be compared after the search. */
const UNKNOWN = Array.from({ length: 500 }, (_, at) => DOCUMENTS + 100 + at)

const filters: fc.Arbitrary<DocumentIds | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.uniqueArray(fc.integer({ min: 1, max: DOCUMENTS + 5 }), { maxLength: 12 }).map((except) => ({ except })),
  fc.uniqueArray(fc.integer({ min: 1, max: DOCUMENTS + 5 }), { maxLength: DOCUMENTS }).map((only) => ({ only })),
  fc.uniqueArray(fc.integer({ min: 1, max: DOCUMENTS }), { maxLength: DOCUMENTS }).map((some) => ({
    only: [...some, ...UNKNOWN],
  })),
)

/** Every row by its similarity to a query, the most similar first, as long as the rows are the same. */
const ranked = new Map<number, { readonly hits: readonly VectorHit[]; readonly similarities: Map<string, number> }>()

async function ranking(near: number) {
  const known = ranked.get(near)
  if (known !== undefined) return known
  const query = clusteredVector(near, COLLECTION.dimensions)
  const hits = await exact.search(COLLECTION, query, { limit: DOCUMENTS * ROWS_PER_DOCUMENT + 1 })
  const made = { hits, similarities: new Map(hits.map((hit) => [nameOf(hit), hit.similarity])) }
  ranked.set(near, made)
  return made
}

function passes(documents: DocumentIds | undefined, documentId: number): boolean {
  if (documents === undefined) return true
  return 'only' in documents ? documents.only.includes(documentId) : !documents.except.includes(documentId)
}

/** Asserts that hits for random filters, limits and queries are those of a comparison with every vector. */
async function expectNearestHits(index: LanceDbVectorIndex, numRuns = sized(8, 40)): Promise<void> {
  let expected = 0
  let found = 0
  ranked.clear()
  const property = fc.asyncProperty(
    filters,
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 1, max: QUERIES }).map((number) => (number * DOCUMENTS) / QUERIES),
    async (documents, limit, near) => {
      const query = clusteredVector(near, COLLECTION.dimensions)
      const filter = documents && { documents }
      const { hits: all, similarities } = await ranking(near)
      const truth = all.filter(({ documentId }) => passes(documents, documentId)).slice(0, limit)
      const hits = await index.search(COLLECTION, query, { limit, ...filter })
      // With every filter all hits are present, each once, the nearest first, with the right similarity.
      expect(hits).toHaveLength(truth.length)
      const names = new Set(hits.map(nameOf))
      expect(names.size).toBe(hits.length)
      expect(hits).toEqual(hits.toSorted((one, other) => other.similarity - one.similarity))
      for (const hit of hits) expect(passes(documents, hit.documentId)).toBe(true)
      for (const hit of hits) expect(hit.similarity).toBeCloseTo(similarities.get(nameOf(hit)) ?? Number.NaN, 4)
      expected += truth.length
      found += truth.filter((hit) => names.has(nameOf(hit))).length
    },
  )
  // A share of few hits says little: one missed hit of 64 is more than 1 %.
  do await fc.assert(property, { numRuns })
  while (expected < LEAST_HITS)
  expect(found / expected).toBeGreaterThanOrEqual(0.99)
}

function nameOf({ documentId, chunk }: VectorHit): string {
  return `${documentId}:${chunk}`
}

const inBuildFolder = async () => await readdir(join(vectors, '.building'))

describe('a search in LanceDB', { timeout: 180_000 }, () => {
  it('finds by a scan the hits of a comparison with every vector, whatever the filter', async () => {
    await opened(Number.POSITIVE_INFINITY, async (index) => {
      const documents = Array.from({ length: DOCUMENTS }, (_, number) => number + 1)
      await Promise.all(
        documents.map((id) => index.add(COLLECTION, clusteredRows(id, ROWS_PER_DOCUMENT, COLLECTION.dimensions))),
      )
      await expectNearestHits(index)
      await index.whenMaintained()
    })
    expect(await readdir(vectors)).not.toContain(PLAN)
  })

  it('finds the same hits during the build of an index and after it', async () => {
    await opened(INDEX_FROM_ROWS, async (index) => {
      const maintained = index.whenMaintained()
      await index.countByDocument(COLLECTION.name)
      const secondRun = index.whenMaintained()
      await expectNearestHits(index)
      await Promise.all([maintained, secondRun])
      expect(index.maintenanceError).toBeUndefined()
      const plan = JSON.parse(await readFile(join(vectors, PLAN), 'utf8')) as { rows: number; probes: unknown[] }
      expect(plan.rows).toBe(DOCUMENTS * ROWS_PER_DOCUMENT)
      expect(plan.probes.length).toBeGreaterThan(3)
      expect(await inBuildFolder()).toEqual([])
      await expectNearestHits(index)
    })
  })

  it('respects additions and deletions after the build of the index', async () => {
    await opened(INDEX_FROM_ROWS, async (index) => {
      const query = clusteredVector(7, COLLECTION.dimensions)
      const added = { documentId: 1_000, chunks: new Uint32Array(1), windows: new Uint16Array(1), vectors: query }
      for (const target of [index, exact]) {
        await target.deleteDocument(COLLECTION.name, 7, ROWS_PER_DOCUMENT * 0.4)
        await target.add(COLLECTION, added)
      }
      const [nearest] = await index.search(COLLECTION, query, { limit: 5 })
      expect(nearest).toMatchObject({ documentId: 1_000, chunk: 0 })
      await expectNearestHits(index)
      await index.whenMaintained()
      await expectNearestHits(index)
      // Enough deletions that the remaining rows are rewritten.
      const plan = await readFile(join(vectors, PLAN), 'utf8')
      for (const target of [index, exact]) {
        for (const id of [8, 9, 10, 11, 12, 13, 14, 15]) await target.deleteDocument(COLLECTION.name, id, 0)
      }
      await index.whenMaintained()
      expect(await readFile(join(vectors, PLAN), 'utf8')).toBe(plan)
      await expectNearestHits(index)
      for (const target of [index, exact]) await target.deleteDocument(COLLECTION.name, 1_000, 0)
      await expectNearestHits(index)
    })
  })

  it('finds the same hits without the file of search settings, which is then measured a second time', async () => {
    for (const damage of [rm, async (path: string) => await writeFile(path, '{"probes":[{"rank":"all"}]}')]) {
      await damage(join(vectors, PLAN))
      await opened(INDEX_FROM_ROWS, async (index) => {
        await expectNearestHits(index, 5)
        await index.whenMaintained()
        await expectNearestHits(index, 10)
      })
      expect(JSON.parse(await readFile(join(vectors, PLAN), 'utf8'))).toHaveProperty('builtAt')
    }
  })

  it('removes the leftover files of interrupted builds', async () => {
    const left = join(vectors, '.building', 'build-left')
    await mkdir(left, { recursive: true })
    await writeFile(join(left, 'shuffled.lance'), 'gigabytes')
    await opened(INDEX_FROM_ROWS, async (index) => {
      expect(await index.listCollections()).toEqual([COLLECTION.name])
    })
    expect(await readdir(vectors)).not.toContain('.building')
  })

  it('removes files that the process of a killed host still writes for a moment', async () => {
    const left = join(vectors, '.building', 'build-left')
    const writer = `
      const { mkdirSync, writeFileSync } = require('node:fs')
      const ends = Date.now() + 500
      for (let file = 0; Date.now() < ends; file += 1) {
        mkdirSync(process.argv[1], { recursive: true })
        try { writeFileSync(process.argv[1] + '/' + file, 'part') } catch {}
        if (file === 100) process.send('writing')
      }`
    const child = spawn(process.execPath, ['-e', writer, left], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const ended = once(child, 'close')
    await once(child, 'message')
    await opened(INDEX_FROM_ROWS, async (index) => {
      expect(await index.listCollections()).toEqual([COLLECTION.name])
      await ended
    })
    expect(await readdir(vectors)).not.toContain('.building')
  })

  it('finds the nearest rows among very similar ones, where many must be compared exactly', async () => {
    const { path, remove } = await temporaryFolder()
    const collection = { name: 'alike', dimensions: 128 }
    const index = new LanceDbVectorIndex(path, { indexFromRows: 2_000 })
    try {
      const same = new MemoryVectorIndex()
      for (let documentId = 1; documentId <= 6; documentId += 1) {
        const rows = alikeRows(documentId, 1_000, collection.dimensions)
        for (const target of [index, same]) await target.add(collection, rows)
      }
      await index.whenMaintained()
      const plan = JSON.parse(await readFile(join(path, 'alike.search.json'), 'utf8')) as {
        probes: readonly { readonly refineFactor: number }[]
      }
      expect(plan.probes[0]?.refineFactor).toBeGreaterThan(3)
      let found = 0
      for (let number = 0; number < 40; number += 1) {
        const query = alikeRows(1 + (number % 6), 1, collection.dimensions, 5_000 + number).vectors
        const truth = await same.search(collection, query, { limit: 10 })
        const names = new Set((await index.search(collection, query, { limit: 10 })).map(nameOf))
        found += truth.filter((hit) => names.has(nameOf(hit))).length
      }
      expect(found / 400).toBeGreaterThanOrEqual(0.98)
    } finally {
      await index.close()
      await remove()
    }
  })
})

/** Rows around one centre, much nearer to each other than to the rows of another document. */
function alikeRows(documentId: number, count: number, dimensions: number, from = 0): VectorRows {
  const center = clusteredVector(documentId, dimensions)
  const { chunks, windows, vectors } = clusteredRows(1_000 + documentId + from, count, dimensions)
  return {
    documentId,
    chunks,
    windows,
    vectors: vectors.map((value, at) => value + 3 * (center[at % dimensions] ?? 0)),
  }
}
