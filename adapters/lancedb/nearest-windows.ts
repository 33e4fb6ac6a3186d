import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import type { IndexedChunk, NearestWindow } from '../../src/ports/index.js'
import { chunkKey } from './document-predicates.js'
import { chunkKeyReader, columnNumbers, readRowsOfChunks } from './rows-of-chunks.js'

type WindowsByChunk = Map<bigint, NearestWindow>

/** Finds the window of each chunk that is nearest to any of the queries; `undefined` for a chunk without windows. */
export async function findNearestWindows(
  table: Table,
  queries: readonly Float32Array[],
  chunks: readonly IndexedChunk[],
): Promise<readonly (NearestWindow | undefined)[]> {
  const units = queries.map(toUnitVector)
  const nearest: WindowsByChunk = new Map()
  for (const rows of await readRowsOfChunks(table, chunks, ['window', 'vector'])) collectNearest(rows, units, nearest)
  return chunks.map((chunk) => nearest.get(chunkKey(chunk)))
}

function collectNearest(rows: ArrowTable, units: readonly Float64Array[], nearest: WindowsByChunk): void {
  for (const batch of rows.batches) {
    const keyOf = chunkKeyReader(batch)
    const windows = columnNumbers(batch.getChild('window'))
    const values = batch.getChild('vector')?.data[0]?.children[0]?.values as Float32Array | undefined
    if (values === undefined) continue
    const dimensions = values.length / batch.numRows
    for (let row = 0; row < batch.numRows; row += 1) {
      const vector = values.subarray(row * dimensions, (row + 1) * dimensions)
      const similarity = greatestCosine(vector, units)
      const window = windows[row] ?? 0
      const key = keyOf(row)
      const best = nearest.get(key)
      const isNearer =
        best === undefined || similarity > best.similarity || (similarity === best.similarity && window < best.window)
      if (isNearer) nearest.set(key, { window, similarity })
    }
  }
}

/** Returns 0 for a vector of zeros. */
function greatestCosine(vector: Float32Array, units: readonly Float64Array[]): number {
  let squares = 0
  for (const value of vector) squares += value * value
  const length = Math.sqrt(squares) || 1
  let greatest = Number.NEGATIVE_INFINITY
  for (const unit of units) greatest = Math.max(greatest, dot(vector, unit) / length)
  return greatest
}

/** Four separate sums are twice as fast as one. */
function dot(vector: Float32Array, unit: Float64Array): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let at = 0; at < vector.length; at += 4) {
    a += (vector[at] ?? 0) * (unit[at] ?? 0)
    b += (vector[at + 1] ?? 0) * (unit[at + 1] ?? 0)
    c += (vector[at + 2] ?? 0) * (unit[at + 2] ?? 0)
    d += (vector[at + 3] ?? 0) * (unit[at + 3] ?? 0)
  }
  return a + b + c + d
}

function toUnitVector(query: Float32Array): Float64Array {
  let squares = 0
  for (const value of query) squares += value * value
  const length = Math.sqrt(squares) || 1
  return Float64Array.from(query, (value) => value / length)
}
