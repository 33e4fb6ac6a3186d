import { VectorInvalidError } from '../../src/ports/index.js'

/** Refuses what has a component that is not finite. */
export function requireFinite(vectors: Float32Array): void {
  let sum = 0
  // Zero times anything finite is zero; a test of each component costs four times as much.
  for (const component of vectors) sum += component * 0
  if (sum !== 0) throw new VectorInvalidError('vectors must have finite components')
}
