import type { Table as ArrowTable } from 'apache-arrow'
import {
  type DocumentIds,
  hasDirection,
  type IndexedChunk,
  type NearestWindow,
  passesOf,
  type VectorHit,
  type VectorKey,
  type VectorSearchOptions,
} from '../../../src/ports/index.js'
import { dot, greatestCosine, lengthOf, toUnitVector } from '../cosine.js'
import { forEachWindow } from '../search/nearest-windows.js'
import { chunkOf } from '../table-schema.js'

/** A row of a copy. */
interface Row extends VectorKey {
  readonly vector: Float32Array
  /** The length of the vector. */
  readonly length: number
}

/** The memory for a row, beside the components of its vector. */
const BYTES_PER_ROW = 300

/** The rows of a small table in memory, in the order of their keys. A search compares all of them. */
export class TableCopy {
  readonly #rows: readonly Row[]
  /** The rows but those with a vector of zeros, which no search finds. */
  readonly #findable: readonly Row[]

  constructor(table: ArrowTable) {
    this.#rows = rowsOf(table).sort(byKey)
    this.#findable = this.#rows.filter(({ vector }) => hasDirection(vector))
  }

  /** The memory that the copy takes, in bytes. */
  get bytes(): number {
    return 1 + this.#rows.reduce((sum, { vector }) => sum + vector.byteLength + BYTES_PER_ROW, 0)
  }

  /** Finds the nearest rows, the nearest first. Equally near ones have the order of their keys. */
  nearest(vector: Float32Array, { limit, documents }: VectorSearchOptions): VectorHit[] {
    const unit = toUnitVector(vector)
    const rows = this.#passing(documents)
    // Plain loops take half the time of iterators.
    const similarities = new Float64Array(rows.length)
    rows.forEach((row, at) => {
      similarities[at] = dot(row.vector, unit) / row.length
    })
    const least = similarities.slice().sort().at(-limit) ?? Number.NEGATIVE_INFINITY
    const hits: VectorHit[] = []
    rows.forEach(({ documentId, chunk, window }, at) => {
      const similarity = similarities[at] ?? 0
      if (similarity >= least) hits.push({ documentId, chunk, window, similarity })
    })
    return hits.sort((one, other) => other.similarity - one.similarity).slice(0, limit)
  }

  /** Finds the window of each chunk that is nearest to any of the queries; `undefined` for a chunk without windows. */
  nearestWindows(
    queries: readonly Float32Array[],
    chunks: readonly IndexedChunk[],
  ): readonly (NearestWindow | undefined)[] {
    const units = queries.map(toUnitVector)
    return chunks.map((chunk) => {
      let nearest: NearestWindow | undefined
      for (let at = this.#indexOf(chunk); ; at += 1) {
        const row = this.#rows[at]
        if (row === undefined || byChunk(row, chunk) !== 0) return nearest
        const similarity = greatestCosine(row.vector, units, row.length)
        if (nearest === undefined || similarity > nearest.similarity) nearest = { window: row.window, similarity }
      }
    })
  }

  #passing(documents: DocumentIds | undefined): readonly Row[] {
    if (documents === undefined) return this.#findable
    const passes = passesOf(documents)
    return this.#findable.filter(({ documentId }) => passes(documentId))
  }

  /** Finds the index of the first window of a chunk. */
  #indexOf(chunk: IndexedChunk): number {
    let [from, to] = [0, this.#rows.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const row = this.#rows[middle]
      if (row !== undefined && byChunk(row, chunk) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}

function byChunk(one: IndexedChunk, other: IndexedChunk): number {
  return one.documentId - other.documentId || one.chunk - other.chunk
}

function byKey(one: VectorKey, other: VectorKey): number {
  return byChunk(one, other) || one.window - other.window
}

/** Reads the rows of a table. Their vectors stay in the memory of the table, whose other columns are small. */
function rowsOf(table: ArrowTable): Row[] {
  const rows: Row[] = []
  forEachWindow(table, (key, window, vector) => {
    rows.push({ ...chunkOf(key), window, vector, length: lengthOf(vector) })
  })
  return rows
}
