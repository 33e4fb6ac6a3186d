import type { VectorRows } from '../src/ports/index.js'

/** Numbers that look random, and are the same in every run. */
function* numbersFrom(seed: number): Generator<number, never> {
  let state = seed * 2_654_435_761 + 1
  for (;;) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    yield (state >>> 0) / 2 ** 31 - 1
  }
}

/** A vector near the centre of a document's cluster; each number gives another vector. */
export function clusteredVector(documentId: number, dimensions: number, number = 0): Float32Array {
  const center = numbersFrom(documentId)
  const noise = numbersFrom(documentId * 100_003 + number + 1)
  return Float32Array.from({ length: dimensions }, () => center.next().value + 0.7 * noise.next().value)
}

/** Rows of a document, around one centre. */
export function clusteredRows(documentId: number, count: number, dimensions: number): VectorRows {
  const vectors = new Float32Array(count * dimensions)
  for (let row = 0; row < count; row += 1)
    vectors.set(clusteredVector(documentId, dimensions, row + 1), row * dimensions)
  const chunks = Uint32Array.from({ length: count }, (_, chunk) => chunk)
  return { documentId, chunks, windows: new Uint16Array(count), vectors }
}
