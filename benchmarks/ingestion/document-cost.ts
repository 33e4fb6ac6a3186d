/**
 * The cost of one document in a small and in a large context: `tsx benchmarks/ingestion/document-cost.ts [WINDOWS]`.
 * Fills two data folders through the storage and the indexes, without a model: one with 1,000 windows, and one with
 * WINDOWS (default: a million). Then uploads the same documents to both engines in turn. Prints the statements, the rows
 * that they return and the time of one document. A stub stands for the model.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite3 from 'sqlite3'
import { KnexStorage, openSqlite } from '../../dist/adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'
import type { Engine } from '../../dist/src/index.js'
import { type DocumentRecord, type NewChunk, NO_GAPS, NO_PLACE } from '../../dist/src/ports/index.js'
import { QuickModel } from '../../test/ingestion/quick-model.js'
import { quantile } from '../harness/measure.js'

const SMALL = 1_000
const LARGE = Number(process.argv[2] ?? 1_000_000)
const DIMENSIONS = 16
const CHUNKS_PER_DOCUMENT = 50
const WINDOWS_PER_CHUNK = 4
const WINDOWS_PER_DOCUMENT = CHUNKS_PER_DOCUMENT * WINDOWS_PER_CHUNK
const DOCUMENTS_PER_STEP = 25
const WARM_UP = 3
const MEASURED = 30
const LIMITS = { searchesPerKey: 64 }

interface Counts {
  statements: number
  rows: number
}

/** The calls of the SQLite driver in this process. */
const counts: Counts = countStatements()
const folder = await mkdtemp(join(tmpdir(), 'alcove-document-cost-'))
try {
  const places = []
  for (const windows of [SMALL, LARGE]) places.push(await fill(join(folder, String(windows)), windows))
  const engines = await Promise.all(places.map(async (place) => ({ ...place, engine: await open(place.dataDir) })))
  const figures = engines.map(({ windows }) => ({
    windows,
    times: [] as number[],
    statements: [] as number[],
    rows: [] as number[],
  }))
  for (let round = 0; round < WARM_UP + MEASURED; round += 1) {
    for (const [at, { engine, contextId }] of engines.entries()) {
      const before = { ...counts }
      const startedAt = performance.now()
      await ingest(engine, contextId, round)
      if (round < WARM_UP) continue
      figures[at]?.times.push(performance.now() - startedAt)
      figures[at]?.statements.push(counts.statements - before.statements)
      figures[at]?.rows.push(counts.rows - before.rows)
    }
  }
  console.table(
    figures.map(({ windows, times, statements, rows }) => ({
      windows,
      'statements (median)': quantile(statements, 0.5),
      'rows read (median)': quantile(rows, 0.5),
      'ms (median)': quantile(times, 0.5),
      'ms (p90)': quantile(times, 0.9),
    })),
  )
  for (const { engine } of engines) await engine.close()
} finally {
  await rm(folder, { recursive: true })
}

async function open(dataDir: string): Promise<Engine> {
  const embeddingModels = [await QuickModel.open({ dimensions: DIMENSIONS })]
  return await openLocalEngine({ dataDir, embeddingModels, limits: LIMITS })
}

async function ingest(engine: Engine, contextId: number, number: number): Promise<void> {
  const { documents } = engine.as(engine.owner)
  const content = Buffer.from(
    `Document ${number}. ${'The harbour lamp burns through winter. '.repeat(40)} End ${number}.`,
  )
  const uuid = await documents.upload(contextId, { fileName: `${number}.txt`, content })
  await documents.whenProcessed(uuid)
}

/** Ingests one document, so that the collections exist, and adds copies of its record with synthetic chunks. */
async function fill(dataDir: string, windows: number) {
  const startedAt = performance.now()
  const engine = await open(dataDir)
  const texts = { name: 'A', description: '', caption: '', toolsJson: '[]', settings: { maxSizeBytes: 1_000_000_000 } }
  const { id: contextId } = await engine.as(engine.owner).contexts.create(texts)
  await ingest(engine, contextId, -1)
  await engine.close()
  const storage = new KnexStorage({ knex: openSqlite(join(dataDir, 'alcove.sqlite')) })
  const vectors = new LanceDbVectorIndex(join(dataDir, 'vectors'))
  const words = new SqliteLexicalIndex(join(dataDir, 'words'))
  const [vectorCollection] = await vectors.listCollections()
  const [wordCollection] = await words.listCollections()
  if (vectorCollection === undefined || wordCollection === undefined) throw new Error('the collections are missing')
  const first = await storage.read(({ documents }) => documents.get(1))
  if (first === undefined) throw new Error('the document is missing')
  for (let document = 0; document < windows / WINDOWS_PER_DOCUMENT; document += DOCUMENTS_PER_STEP) {
    const last = Math.min(document + DOCUMENTS_PER_STEP, windows / WINDOWS_PER_DOCUMENT)
    const ids = await storage.transaction(async ({ documents, chunks }) => {
      const inserted: number[] = []
      for (let number = document; number < last; number += 1) {
        const { id } = await documents.insert(copyOf(first, number))
        await chunks.insert(id, chunksOf(number))
        inserted.push(id)
      }
      return inserted
    })
    await Promise.all(
      ids.map(async (documentId) => {
        await vectors.add({ name: vectorCollection, dimensions: DIMENSIONS }, vectorRows(documentId))
        const chunks = Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, at) => at)
        const terms = chunks.map((chunk) => ['harbour', `number${documentId % 5_000}`, `chunk${chunk}`])
        await words.add(wordCollection, { documentId, chunks, terms })
      }),
    )
  }
  await vectors.whenMaintained()
  for (const part of [vectors, words, storage]) await part.close()
  console.log(`filled ${windows} windows in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  return { dataDir, windows, contextId }
}

function copyOf(first: DocumentRecord, number: number): Omit<DocumentRecord, 'id' | 'publicId'> {
  const { id: _id, publicId: _publicId, ...record } = first
  const uuid = `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
  return {
    ...record,
    uuid,
    originalName: `copy-${number}.txt`,
    contentHash: hashOf(uuid),
    chunkCount: CHUNKS_PER_DOCUMENT,
  }
}

function chunksOf(number: number): NewChunk[] {
  return Array.from({ length: CHUNKS_PER_DOCUMENT }, (_, ordinal) => ({
    ...NO_PLACE,
    ...NO_GAPS,
    ordinal,
    content: `harbour number${number} chunk${ordinal}`,
    start: ordinal * 100,
    tokens: 20,
    hash: hashOf(`${number}-${ordinal}`),
    windows: Array.from({ length: WINDOWS_PER_CHUNK }, (_, window) => ({
      start: window,
      end: window + 1,
      tokens: 5,
      hash: hashOf(`${number}-${ordinal}-${window}`),
    })),
  }))
}

function vectorRows(documentId: number) {
  const rows = Array.from({ length: WINDOWS_PER_DOCUMENT }, (_, row) => row)
  return {
    documentId,
    chunks: Uint32Array.from(rows, (row) => Math.floor(row / WINDOWS_PER_CHUNK)),
    windows: Uint16Array.from(rows, (row) => row % WINDOWS_PER_CHUNK),
    vectors: Float32Array.from({ length: WINDOWS_PER_DOCUMENT * DIMENSIONS }, () => Math.random() - 0.5),
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Counts the statements of all SQLite connections of this process, and the rows that they return. */
function countStatements(): Counts {
  const counted = { statements: 0, rows: 0 }
  const prototype = sqlite3.Database.prototype as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const method of ['all', 'get', 'run', 'exec']) {
    const original = prototype[method]
    if (original === undefined) throw new Error(`the SQLite driver has no ${method}`)
    prototype[method] = function (this: unknown, ...args: unknown[]) {
      counted.statements += 1
      const callback = args.at(-1)
      if (typeof callback === 'function') {
        args[args.length - 1] = function (this: unknown, error: unknown, rows?: unknown) {
          if (Array.isArray(rows)) counted.rows += rows.length
          ;(callback as (...results: unknown[]) => void).call(this, error, rows)
        }
      }
      return original.apply(this, args)
    }
  }
  return counted
}
