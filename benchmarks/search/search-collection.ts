import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connection, connect, type Table, type VectorQuery } from '@lancedb/lancedb'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import type { DocumentIds, VectorCollection } from '../../dist/src/ports/index.js'
import { ClusteredVectors, DIMENSIONS } from '../harness/clustered-vectors.js'
import { hundredths } from '../harness/measure.js'
import type { SearchExtent } from './search-calls.js'

export const COLLECTION: VectorCollection = { name: 'windows', dimensions: DIMENSIONS }
export const LIMIT = 10
const WINDOWS_PER_DOCUMENT = 50
/** Windows of one addition, as the engine writes them. */
const WINDOWS_PER_WRITE = 1_000

/** A collection of synthetic vectors, in a folder. */
export interface SyntheticCollection {
  readonly folder: string
  /** Spread of the vectors around the middle of their cluster. */
  readonly spread: number
  readonly windows: number
  readonly indexFromRows: number
}

/** A collection, with the amount of work on it. */
export interface CollectionTask {
  readonly collection: SyntheticCollection
  readonly extent: SearchExtent
}

/** The time that filling and maintaining a collection took. */
export interface FillFigures {
  readonly fillMs: number
  readonly maintenanceMs: number
}

export async function fillCollection(collection: SyntheticCollection): Promise<FillFigures> {
  const index = openCollection(collection)
  const vectors = new ClusteredVectors(collection.spread, 1)
  const perWrite = WINDOWS_PER_WRITE / WINDOWS_PER_DOCUMENT
  const documents = documentsOf(collection)
  const began = performance.now()
  for (let at = 0; at < documents.length; at += perWrite) {
    const written = documents.slice(at, at + perWrite)
    await Promise.all(written.map((document) => index.add(COLLECTION, vectors.rows(document, WINDOWS_PER_DOCUMENT))))
  }
  const filled = performance.now()
  await index.whenMaintained()
  if (index.maintenanceError !== undefined) throw index.maintenanceError
  await index.close()
  return { fillMs: hundredths(filled - began), maintenanceMs: hundredths(performance.now() - filled) }
}

export function openCollection({ folder, indexFromRows }: SyntheticCollection): LanceDbVectorIndex {
  return new LanceDbVectorIndex(folder, { indexFromRows })
}

/** The ids of the documents, before any is deleted. */
export function documentsOf({ windows }: Pick<SyntheticCollection, 'windows'>): readonly number[] {
  return Array.from({ length: windows / WINDOWS_PER_DOCUMENT }, (_, number) => number + 1)
}

/** A hit. */
export interface Found {
  readonly documentId: number
  readonly chunk: number
}

/** The engine's search plan beside a table: the settings of an index search, by rank. */
interface Plan {
  readonly probes: readonly Probes[]
}

interface Probes {
  readonly rank: number
  readonly probes: number
  readonly refineFactor: number
}

/** The hits of a plain LanceDB query. */
export async function foundBy(query: VectorQuery): Promise<readonly Found[]> {
  const found = await query.select(['document', 'chunk', '_distance']).toArrow()
  const rows = found.toArray() as readonly { readonly document: number; readonly chunk: number }[]
  return rows.map(({ document, chunk }) => ({ documentId: document, chunk }))
}

/** Plain LanceDB, on the same table. */
export class PlainSearch {
  readonly #connection: Connection
  readonly #table: Table
  readonly #probes: readonly Probes[]

  static async open({ folder }: SyntheticCollection): Promise<PlainSearch> {
    const connection = await connect(folder)
    const table = await connection.openTable(COLLECTION.name)
    const plan = await readFile(join(folder, `${COLLECTION.name}.search.json`), 'utf8').catch(() => undefined)
    if (plan !== undefined) await table.prewarmIndex('vector_idx')
    return new PlainSearch(connection, table, plan === undefined ? [] : (JSON.parse(plan) as Plan).probes)
  }

  private constructor(connection: Connection, table: Table, probes: readonly Probes[]) {
    this.#connection = connection
    this.#table = table
    this.#probes = probes
  }

  get hasIndex(): boolean {
    return this.#probes.length > 0
  }

  /** Searches as much of the index as the engine does. */
  async byIndex(query: Float32Array, limit: number): Promise<readonly Found[]> {
    const search = this.#probes.find(({ rank }) => rank >= limit)
    const nearest = this.#table
      .query()
      .nearestTo(query)
      .distanceType('cosine')
      .nprobes(search?.probes ?? Number.NaN)
      .refineFactor(search?.refineFactor ?? Number.NaN)
    return await foundBy(nearest.limit(limit))
  }

  /** The exact answer, from a scan. */
  async nearest(query: Float32Array, documents?: DocumentIds): Promise<readonly Found[]> {
    const nearest = this.#table.query().nearestTo(query).distanceType('cosine').bypassVectorIndex().limit(LIMIT)
    const filtered = documents === undefined ? nearest : nearest.where(conditionOf(documents))
    return await foundBy(filtered)
  }

  /** Reads the changes since the table was opened. */
  async takeUpWrites(): Promise<void> {
    await this.#table.checkoutLatest()
  }

  close(): void {
    this.#table.close()
    this.#connection.close()
  }
}

function conditionOf(documents: DocumentIds): string {
  return 'only' in documents
    ? `document IN (${documents.only.join(',')})`
    : `document NOT IN (${documents.except.join(',')})`
}
