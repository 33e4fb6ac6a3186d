import type { Table } from '@lancedb/lancedb'

/** A vector that is searched for, and how many of the rows nearest to it are wanted. */
export interface Wanted {
  readonly vector: Float32Array
  readonly count: number
}

/** In one go Lance would read far ahead: all of a table of 100,000 rows. */
const ROWS_AT_ONCE = 2_048

/**
 * Addresses of the rows nearest to each vector by cosine distance, nearest first. All vectors in one pass over the table,
 * where a scan for each would read it again: for 80 of them in 100,000 rows half the time, and less of the memory.
 */
export async function exactNeighbours(
  table: Table,
  wanted: readonly Wanted[],
): Promise<readonly (readonly bigint[])[]> {
  const nearest = wanted.map(({ count }, at) => new Nearest(at, count))
  const products = new Products(wanted.map(({ vector }) => vector))
  const rows = await table.countRows()
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const part = table.query().withRowId().select(['vector']).offset(from).limit(ROWS_AT_ONCE)
    for (const batch of (await part.toArrow()).batches) {
      const ids = batch.getChild('_rowid')?.toArray() as BigUint64Array
      const values = batch.getChild('vector')?.data[0]?.children[0]?.values as Float32Array
      const dimensions = values.length / ids.length
      for (const [row, id] of ids.entries()) {
        const similarities = products.with(values.subarray(row * dimensions, (row + 1) * dimensions))
        for (const one of nearest) one.offer(id, similarities)
      }
    }
  }
  return nearest.map((one) => one.ids())
}

/** Cosines of vectors with several others. */
class Products {
  readonly #fours: readonly Four[]
  readonly #products: Float64Array
  readonly #vector: Float64Array

  constructor(vectors: readonly Float32Array[]) {
    const dimensions = vectors[0]?.length ?? 0
    const units = vectors.map(unitOf)
    // Those beyond the last are multiplied for nothing.
    const unitAt = (at: number): Float64Array => units[at] ?? new Float64Array(dimensions)
    const count = Math.ceil(units.length / 4)
    this.#fours = Array.from({ length: count }, (_, four) => {
      const at = four * 4
      return new Four(at, unitAt(at), unitAt(at + 1), unitAt(at + 2), unitAt(at + 3))
    })
    this.#products = new Float64Array(count * 4)
    this.#vector = new Float64Array(dimensions)
  }

  /** @returns those with each of them; only good until the next call */
  with(vector: Float32Array): Float64Array {
    // Converted once for all of them.
    this.#vector.set(vector)
    const length = Math.sqrt(squaresOf(vector))
    for (const four of this.#fours) four.multiply(this.#vector, this.#products, length)
    return this.#products
  }
}

/** Four at once, in two sums each, which is twice as fast as one after the other. Dimensions are even where there is an index. */
class Four {
  readonly #at: number
  readonly #first: Float64Array
  readonly #second: Float64Array
  readonly #third: Float64Array
  readonly #fourth: Float64Array

  constructor(at: number, first: Float64Array, second: Float64Array, third: Float64Array, fourth: Float64Array) {
    this.#at = at
    this.#first = first
    this.#second = second
    this.#third = third
    this.#fourth = fourth
  }

  multiply(vector: Float64Array, products: Float64Array, length: number): void {
    const [a, b, c, d] = [this.#first, this.#second, this.#third, this.#fourth]
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
    products[this.#at] = (a0 + a1) / length
    products[this.#at + 1] = (b0 + b1) / length
    products[this.#at + 2] = (c0 + c1) / length
    products[this.#at + 3] = (d0 + d1) / length
  }
}

function unitOf(vector: Float32Array): Float64Array {
  const length = Math.sqrt(squaresOf(vector))
  return Float64Array.from(vector, (value) => value / length)
}

function squaresOf(vector: Float32Array): number {
  let squares = 0
  for (const value of vector) squares += value * value
  return squares
}

/** The most similar rows so far, in no order, and as many again that may be among them. */
class Nearest {
  readonly #at: number
  readonly #count: number
  #rows: { readonly id: bigint; readonly similarity: number }[] = []
  #least = Number.NEGATIVE_INFINITY

  /** @param at which of the vectors it is that they are similar to */
  constructor(at: number, count: number) {
    this.#at = at
    this.#count = count
  }

  offer(id: bigint, similarities: Float64Array): void {
    const similarity = similarities[this.#at] ?? 0
    if (similarity <= this.#least) return
    this.#rows.push({ id, similarity })
    if (this.#rows.length >= 2 * this.#count) this.#sort()
  }

  ids(): bigint[] {
    this.#sort()
    return this.#rows.map(({ id }) => id)
  }

  #sort(): void {
    this.#rows.sort((one, other) => other.similarity - one.similarity)
    this.#rows.length = Math.min(this.#rows.length, this.#count)
    if (this.#rows.length === this.#count) this.#least = this.#rows.at(-1)?.similarity ?? this.#least
  }
}
