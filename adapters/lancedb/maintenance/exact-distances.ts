import type { Table } from '@lancedb/lancedb'
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
  const nearest = queries.map(({ count }, at) => new NearestRows(at, count))
  const cosines = new Cosines(queries.map(({ vector }) => vector))
  const dimensions = await readDimensions(table)
  const rowCount = await table.countRows()
  for (let from = 0; from < rowCount; from += ROWS_AT_ONCE) {
    // Without a condition, Lance reads these rows of the table in their order.
    const part = await table.query().select(['vector']).offset(from).limit(ROWS_AT_ONCE).toArrow()
    for (const batch of part.batches) {
      const values = batch.getChild('vector')?.data[0]?.children[0]?.values as Float32Array
      for (let row = 0; row < batch.numRows; row += 1) {
        const similarities = cosines.compute(values.subarray(row * dimensions, (row + 1) * dimensions))
        for (const rows of nearest) rows.offer(similarities)
      }
    }
  }
  return nearest.map((rows) => rows.distances())
}

/** Computes the cosines of a vector with several others. */
class Cosines {
  readonly #groups: readonly VectorGroup[]
  readonly #cosines: Float64Array
  readonly #vector: Float64Array

  constructor(vectors: readonly Float32Array[]) {
    const dimensions = vectors[0]?.length ?? 0
    const units = vectors.map(toUnitVector)
    // The last group is filled up with zeros.
    const unitAt = (at: number): Float64Array => units[at] ?? new Float64Array(dimensions)
    const count = Math.ceil(units.length / 4)
    this.#groups = Array.from({ length: count }, (_, group) => {
      const at = group * 4
      return new VectorGroup(at, unitAt(at), unitAt(at + 1), unitAt(at + 2), unitAt(at + 3))
    })
    this.#cosines = new Float64Array(count * 4)
    this.#vector = new Float64Array(dimensions)
  }

  /** @returns the cosine with each of the vectors, NaN for a vector of zeros; valid until the next call */
  compute(vector: Float32Array): Float64Array {
    // Converted once for all groups.
    this.#vector.set(vector)
    const length = Math.sqrt(sumOfSquares(vector))
    for (const group of this.#groups) group.multiply(this.#vector, this.#cosines, length)
    return this.#cosines
  }
}

/**
 * Multiplies four vectors at once, in two sums each: twice as fast as one after the other. The number of dimensions is
 * even for every table with an index.
 */
class VectorGroup {
  constructor(
    private readonly at: number,
    private readonly first: Float64Array,
    private readonly second: Float64Array,
    private readonly third: Float64Array,
    private readonly fourth: Float64Array,
  ) {}

  multiply(vector: Float64Array, cosines: Float64Array, length: number): void {
    const [a, b, c, d] = [this.first, this.second, this.third, this.fourth]
    let a0 = 0
    let a1 = 0
    let b0 = 0
    let b1 = 0
    let c0 = 0
    let c1 = 0
    let d0 = 0
    let d1 = 0
    for (let index = 0; index < vector.length; index += 2) {
      const value = vector[index] ?? 0
      const next = vector[index + 1] ?? 0
      a0 += value * (a[index] ?? 0)
      b0 += value * (b[index] ?? 0)
      c0 += value * (c[index] ?? 0)
      d0 += value * (d[index] ?? 0)
      a1 += next * (a[index + 1] ?? 0)
      b1 += next * (b[index + 1] ?? 0)
      c1 += next * (c[index + 1] ?? 0)
      d1 += next * (d[index + 1] ?? 0)
    }
    cosines[this.at] = (a0 + a1) / length
    cosines[this.at + 1] = (b0 + b1) / length
    cosines[this.at + 2] = (c0 + c1) / length
    cosines[this.at + 3] = (d0 + d1) / length
  }
}

function toUnitVector(vector: Float32Array): Float64Array {
  const length = Math.sqrt(sumOfSquares(vector))
  return Float64Array.from(vector, (value) => value / length)
}

function sumOfSquares(vector: Float32Array): number {
  let squares = 0
  for (const value of vector) squares += value * value
  return squares
}

/** Collects the greatest similarities so far, unsorted, and as many again that may be among them. */
class NearestRows {
  readonly #similarities: Float64Array
  #size = 0
  #lowest = Number.NEGATIVE_INFINITY

  /** @param at the index of the vector whose similarities are collected */
  constructor(
    private readonly at: number,
    private readonly count: number,
  ) {
    this.#similarities = new Float64Array(2 * count)
  }

  offer(similarities: Float64Array): void {
    const similarity = similarities[this.at] ?? 0
    // A vector of zeros has the similarity NaN: it is not near to anything.
    if (!(similarity > this.#lowest)) return
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
