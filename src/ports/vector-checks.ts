import { VectorInvalidError } from '../shared/errors.js'
import type { VectorCollection, VectorRows } from './vector-index.js'

/** Refuses rows that a collection cannot take. @throws VectorInvalidError */
export function requireRows({ dimensions }: VectorCollection, { chunks, vectors }: VectorRows): void {
  if (vectors.length !== chunks.length * dimensions) {
    throw new VectorInvalidError(`vectors must have ${dimensions} components each`)
  }
  requireFinite(vectors)
}

/** Refuses what cannot be compared with the vectors of a collection. @throws VectorInvalidError */
export function requireQuery({ dimensions }: VectorCollection, query: Float32Array): void {
  if (query.length !== dimensions) throw new VectorInvalidError(`the query must have ${dimensions} components`)
  requireFinite(query)
}

function requireFinite(vectors: Float32Array): void {
  let sum = 0
  // Zero times anything finite is zero; a test of each component costs four times as much.
  for (const component of vectors) sum += component * 0
  if (sum !== 0) throw new VectorInvalidError('vectors must have finite components')
}
