/** Makes a vector of the length 1 with the same direction; a vector of zeros stays. */
export function toUnitVector(vector: Float32Array): Float64Array {
  const length = lengthOf(vector)
  return Float64Array.from(vector, (value) => value / length)
}

/**
 * Computes the greatest cosine of a vector with unit vectors.
 * @param length the {@link lengthOf} the vector
 * @returns 0 for a vector of zeros
 */
export function greatestCosine(
  vector: Float32Array,
  units: readonly Float64Array[],
  length: number = lengthOf(vector),
): number {
  let greatest = Number.NEGATIVE_INFINITY
  for (const unit of units) greatest = Math.max(greatest, dot(vector, unit) / length)
  return greatest
}

/** The length of a vector; 1 for a vector of zeros, which can then be divided by it. */
export function lengthOf(vector: Float32Array): number {
  let squares = 0
  for (const value of vector) squares += value * value
  return Math.sqrt(squares) || 1
}

/** Four separate sums are twice as fast as one. */
export function dot(vector: Float32Array, unit: Float64Array): number {
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
