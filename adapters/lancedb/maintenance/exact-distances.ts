import type { Table } from '@lancedb/lancedb'
import { hasDirection } from '../../../src/ports/index.js'
import { dot, lengthOf, toUnitVector } from '../cosine.js'
import { readDimensions } from '../table-schema.js'

/** A vector to search for, and how many of the nearest rows to find. */
interface NearestQuery {
  readonly vector: Float32Array
  readonly count: number
}

/** Lance would read far ahead in one query: all of a table of 100,000 rows. */
const ROWS_AT_ONCE = 2_048

/**
 * Computes the cosine distances of the rows nearest to each vector, in rising order. All vectors share one pass over
 * the table; a scan for each vector would read it again. For 80 vectors in 100,000 rows this takes half the time, and
 * less memory.
 */
export async function exactDistances(
  table: Table,
  queries: readonly NearestQuery[],
): Promise<readonly (readonly number[])[]> {
  const nearest = queries.map(({ vector, count }) => new NearestRows(toUnitVector(vector), count))
  const dimensions = await readDimensions(table)
  const rowCount = await table.countRows()
  for (let from = 0; from < rowCount; from += ROWS_AT_ONCE) {
    // Without a condition, Lance reads these rows of the table in their order.
    const part = await table.query().select(['vector']).offset(from).limit(ROWS_AT_ONCE).toArrow()
    for (const batch of part.batches) {
      const values = batch.getChild('vector')?.data[0]?.children[0]?.values as Float32Array
      for (let row = 0; row < batch.numRows; row += 1) {
        const vector = values.subarray(row * dimensions, (row + 1) * dimensions)
        // A vector of zeros is not near to anything.
        if (!hasDirection(vector)) continue
        const length = lengthOf(vector)
        for (const rows of nearest) rows.offer(vector, length)
      }
    }
  }
  return nearest.map((rows) => rows.distances())
}

/** Collects the greatest similarities so far, unsorted, and as many again that may be among them. */
class NearestRows {
  readonly #similarities: Float64Array
  #size = 0
  #lowest = Number.NEGATIVE_INFINITY

  /** @param unit the vector whose nearest rows are collected, with the length 1 */
  constructor(
    private readonly unit: Float64Array,
    private readonly count: number,
  ) {
    this.#similarities = new Float64Array(2 * count)
  }

  offer(vector: Float32Array, length: number): void {
    const similarity = dot(vector, this.unit) / length
    if (similarity <= this.#lowest) return
    this.#similarities[this.#size] = similarity
    this.#size += 1
    if (this.#size === 2 * this.count) this.#keepGreatest()
  }

  distances(): number[] {
    this.#keepGreatest()
    return Array.from(this.#similarities.subarray(0, this.#size), (similarity) => 1 - similarity)
  }

  #keepGreatest(): void {
    this.#similarities.subarray(0, this.#size).sort().reverse()
    this.#size = Math.min(this.#size, this.count)
    if (this.#size === this.count) this.#lowest = this.#similarities[this.count - 1] ?? this.#lowest
  }
}
