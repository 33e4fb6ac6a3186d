import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import pLimit from 'p-limit'
import {
  ClosedError,
  type DocumentFilter,
  type VectorCollection,
  type VectorHit,
  type VectorIndex,
  VectorInvalidError,
  type VectorKey,
  type VectorRows,
  type VectorSearchOptions,
} from '../../src/ports/index.js'
import { isMissing, LanceTables, type OpenTable } from './lance-tables.js'

/** Exact scans at a time: each may hold the whole table in memory. */
const MAX_SCANS = 3
/** Writes after which a table is compacted: each leaves a version, and a fragment that every search reads. */
const LEFTOVERS_BEFORE_COMPACTION = 64
/** Versions younger than this may still be read by a search. */
const KEEP_VERSIONS_MS = 60_000

/** Vectors in LanceDB: one table for each collection, found by exact scan. */
export class LanceDbVectorIndex implements VectorIndex {
  readonly #tables: LanceTables
  readonly #scan = pLimit(MAX_SCANS)
  #isClosed = false

  /** @param folder made at the first write */
  constructor(folder: string) {
    this.#tables = new LanceTables(folder)
  }

  async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    const { name, dimensions } = collection
    this.#refuseIfClosed()
    if (rows.vectors.length !== rows.chunks.length * dimensions) {
      throw new VectorInvalidError(`vectors must have ${dimensions} components each`)
    }
    requireFinite(rows.vectors)
    if (rows.chunks.length === 0) return
    await this.#tables.useOrMake(name, dimensions, async (open) => {
      await open.write(async () => {
        const { toArrow } = await import('./arrow-rows.js')
        await open.table.add(toArrow(rows, dimensions))
        await compactIfDue(open)
      })
    })
  }

  async search(
    collection: VectorCollection,
    query: Float32Array,
    options: VectorSearchOptions,
  ): Promise<readonly VectorHit[]> {
    this.#refuseIfClosed()
    if (query.length !== collection.dimensions) {
      throw new VectorInvalidError(`the query must have ${collection.dimensions} components`)
    }
    requireFinite(query)
    const predicate = documentPredicate(options.documents)
    if (predicate === NOTHING) return []
    return await this.#reading(collection.name, [], async ({ table }) => {
      const nearest = table.query().nearestTo(query).distanceType('cosine').limit(options.limit)
      // Filtered before the distances are looked at: an exact scan misses nothing then.
      const allowed = predicate === undefined ? nearest : nearest.where(predicate)
      const found = await this.#scan(() => allowed.select(['document', 'chunk', 'window', '_distance']).toArrow())
      return toHits(found)
    })
  }

  async read(collection: VectorCollection, keys: readonly VectorKey[]): Promise<readonly (Float32Array | undefined)[]> {
    this.#refuseIfClosed()
    const none = keys.map(() => undefined)
    if (keys.length === 0) return none
    return await this.#reading<readonly (Float32Array | undefined)[]>(collection.name, none, async ({ table }) => {
      const query = table.query().where(predicateOf(keys)).select(['document', 'chunk', 'window', 'vector'])
      const found = toVectors(await query.toArrow())
      return keys.map((key) => found.get(nameOf(key)))
    })
  }

  async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    this.#refuseIfClosed()
    await this.#reading(name, undefined, async (open) => {
      await open.write(async () => {
        await open.table.delete(`document = ${documentId} AND chunk >= ${fromChunk}`)
        await compactIfDue(open)
      })
    })
  }

  async countByDocument(name: string): Promise<ReadonlyMap<number, number>> {
    this.#refuseIfClosed()
    return await this.#reading(name, new Map<number, number>(), async ({ table }) => {
      const counts = new Map<number, number>()
      for await (const batch of table.query().select(['document'])) {
        const documents = batch.getChild('document')?.toArray() as Int32Array
        for (const document of documents) counts.set(document, (counts.get(document) ?? 0) + 1)
      }
      return counts
    })
  }

  async listCollections(): Promise<readonly string[]> {
    this.#refuseIfClosed()
    return await this.#tables.names()
  }

  async drop(name: string): Promise<void> {
    this.#refuseIfClosed()
    await this.#tables.drop(name)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#tables.close()
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the vector index')
  }

  /** A collection that is not there, or is dropped meanwhile, has nothing. */
  async #reading<T>(name: string, nothing: T, read: (open: OpenTable) => Promise<T>): Promise<T> {
    return await this.#tables.use(name, async (open) => {
      if (open === undefined) return nothing
      try {
        return await read(open)
      } catch (error) {
        if (isMissing(error) && !(await this.#tables.isCurrent(name, open))) return nothing
        throw error
      }
    })
  }
}

/** Writes leave fragments and versions behind; without this, searches slow down and the disk fills. */
async function compactIfDue(open: OpenTable): Promise<void> {
  open.leftovers = open.leftovers === undefined ? await countLeftovers(open.table) : open.leftovers + 1
  if (open.leftovers < LEFTOVERS_BEFORE_COMPACTION) return
  open.leftovers = 0
  await open.table.optimize({ cleanupOlderThan: oldestKept() })
}

/** Whoever wrote before, in this process or another, has left its fragments and versions too. */
async function countLeftovers(table: Table): Promise<number> {
  const { fragmentStats } = await table.stats()
  const versions = await table.listVersions()
  const oldest = oldestKept()
  return Math.max(fragmentStats.numSmallFragments, versions.filter(({ timestamp }) => timestamp < oldest).length)
}

function oldestKept(): Date {
  return new Date(Date.now() - KEEP_VERSIONS_MS)
}

function requireFinite(vectors: Float32Array): void {
  for (const component of vectors) {
    if (!Number.isFinite(component)) throw new VectorInvalidError('vectors must have finite components')
  }
}

/** A column of numbers, as one array. */
function numbers(table: ArrowTable, column: string): ArrayLike<number> {
  return (table.getChild(column)?.toArray() ?? []) as ArrayLike<number>
}

function toHits(found: ArrowTable): VectorHit[] {
  const documents = numbers(found, 'document')
  const chunks = numbers(found, 'chunk')
  const windows = numbers(found, 'window')
  return Array.from(numbers(found, '_distance'), (distance, row) => ({
    documentId: documents[row] ?? 0,
    chunk: chunks[row] ?? 0,
    window: windows[row] ?? 0,
    similarity: 1 - distance,
  }))
}

function toVectors(found: ArrowTable): Map<string, Float32Array> {
  const documents = numbers(found, 'document')
  const chunks = numbers(found, 'chunk')
  const windows = numbers(found, 'window')
  const column = found.getChild('vector')
  const vectors = new Map<string, Float32Array>()
  for (let row = 0; row < found.numRows; row += 1) {
    const vector = column?.get(row) as { toArray(): Float32Array } | null | undefined
    const key = { documentId: documents[row] ?? 0, chunk: chunks[row] ?? 0, window: windows[row] ?? 0 }
    if (vector) vectors.set(nameOf(key), vector.toArray())
  }
  return vectors
}

/** No document at all: SQL has no empty list. */
const NOTHING = 'false'

/** The filter in SQL; `undefined` where every document passes. */
function documentPredicate(filter: DocumentFilter | undefined): string | undefined {
  if (filter === undefined) return undefined
  if ('only' in filter) return filter.only.length === 0 ? NOTHING : `document IN (${filter.only.join(',')})`
  return filter.except.length === 0 ? undefined : `document NOT IN (${filter.except.join(',')})`
}

function nameOf({ documentId, chunk, window }: VectorKey): string {
  return `${documentId}:${chunk}:${window}`
}

function predicateOf(keys: readonly VectorKey[]): string {
  const chunksByDocument = new Map<number, Set<number>>()
  for (const { documentId, chunk } of keys) {
    const chunks = chunksByDocument.get(documentId) ?? new Set()
    chunksByDocument.set(documentId, chunks.add(chunk))
  }
  const parts = [...chunksByDocument].map(
    ([documentId, chunks]) => `(document = ${documentId} AND chunk IN (${[...chunks].join(',')}))`,
  )
  return parts.join(' OR ')
}
