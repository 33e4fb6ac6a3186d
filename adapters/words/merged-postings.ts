import { POSTING_BYTES, type Turns, viewOf } from './postings.js'

/** The occurrences of merged postings are counted in parts of one: the weights of terms are fractions. */
export const FREQUENCY_SCALE = 64
const MAX_COUNT = 0xff_ff

/** Postings of one term, with the weight of its occurrences. */
interface WeighedPostings {
  /** In ascending order of their numbers. */
  readonly postings: Buffer
  readonly weight: number
}

/** The postings of terms that count as one. */
export interface MergedPostings {
  /** In ascending order of their numbers. */
  readonly postings: Buffer
  /** The number of chunks, each times the best weight of its terms. */
  readonly count: number
}

/** Chunks with their occurrences and lengths, in ascending order of their numbers. */
interface Row {
  readonly numbers: Uint32Array
  readonly occurrences: Float32Array
  /** The best weight of the terms of each chunk. */
  readonly weights: Float32Array
  readonly lengths: Uint16Array
}

/**
 * Merges the postings of terms that count as one. A chunk gets the sum of its occurrences, each times its weight and
 * {@link FREQUENCY_SCALE}.
 */
export async function mergePostings(parts: readonly WeighedPostings[], turns: Turns): Promise<MergedPostings> {
  // The shortest first: each posting is then copied about log k times.
  const rows = parts.map(toRow).sort((one, other) => one.numbers.length - other.numbers.length)
  while (rows.length > 1) {
    const [one, other] = rows.splice(0, 2)
    if (one === undefined || other === undefined) break
    const merged = mergeTwo(one, other)
    await turns.yieldAfter(merged.numbers.length)
    let at = 0
    while (at < rows.length && (rows[at]?.numbers.length ?? 0) < merged.numbers.length) at += 1
    rows.splice(at, 0, merged)
  }
  const [row] = rows
  if (row === undefined) return { postings: Buffer.alloc(0), count: 0 }
  return { postings: toPostings(row), count: row.weights.reduce((sum, weight) => sum + weight, 0) }
}

function toRow({ postings, weight }: WeighedPostings): Row {
  const count = postings.length / POSTING_BYTES
  const view = viewOf(postings)
  const [numbers, occurrences, lengths] = [new Uint32Array(count), new Float32Array(count), new Uint16Array(count)]
  for (let at = 0; at < count; at += 1) {
    const byte = at * POSTING_BYTES
    numbers[at] = view.getUint32(byte)
    occurrences[at] = view.getUint16(byte + 4) * weight
    lengths[at] = view.getUint16(byte + 6)
  }
  return { numbers, occurrences, weights: new Float32Array(count).fill(weight), lengths }
}

function mergeTwo(one: Row, other: Row): Row {
  const most = one.numbers.length + other.numbers.length
  const [numbers, occurrences, lengths] = [new Uint32Array(most), new Float32Array(most), new Uint16Array(most)]
  const weights = new Float32Array(most)
  let [at, left, right] = [0, 0, 0]
  while (left < one.numbers.length || right < other.numbers.length) {
    const first = one.numbers[left] ?? Number.POSITIVE_INFINITY
    const second = other.numbers[right] ?? Number.POSITIVE_INFINITY
    let [sum, weight] = [0, 0]
    if (first <= second) {
      sum += one.occurrences[left] ?? 0
      weight = one.weights[left] ?? 0
      lengths[at] = one.lengths[left] ?? 0
      left += 1
    }
    if (second <= first) {
      sum += other.occurrences[right] ?? 0
      weight = Math.max(weight, other.weights[right] ?? 0)
      lengths[at] = other.lengths[right] ?? 0
      right += 1
    }
    numbers[at] = Math.min(first, second)
    occurrences[at] = sum
    weights[at] = weight
    at += 1
  }
  return {
    numbers: numbers.subarray(0, at),
    occurrences: occurrences.subarray(0, at),
    weights: weights.subarray(0, at),
    lengths: lengths.subarray(0, at),
  }
}

function toPostings({ numbers, occurrences, lengths }: Row): Buffer {
  const postings = Buffer.allocUnsafe(numbers.length * POSTING_BYTES)
  const view = viewOf(postings)
  for (let at = 0; at < numbers.length; at += 1) {
    const byte = at * POSTING_BYTES
    view.setUint32(byte, numbers[at] ?? 0)
    view.setUint16(byte + 4, Math.min(MAX_COUNT, Math.max(1, Math.round((occurrences[at] ?? 0) * FREQUENCY_SCALE))))
    view.setUint16(byte + 6, lengths[at] ?? 0)
  }
  return postings
}
