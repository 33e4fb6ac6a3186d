/** Cosine of the angle between two vectors of one length, -1 to 1; 0 where one of them has nothing but zeros. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let dot = 0
  let oneSquared = 0
  let otherSquared = 0
  for (const [index, component] of one.entries()) {
    const opposite = other[index] ?? 0
    dot += component * opposite
    oneSquared += component * component
    otherSquared += opposite * opposite
  }
  return dot / (Math.sqrt(oneSquared * otherSquared) || 1)
}
