import { TimeSlice } from '../../../src/ports/index.js'

const ROUNDS = 10_000
/** Any number: the same for each test, so that the same differences always give the same result. */
const SEED = 20_260_101
/** Sums of the same numbers in another order may differ by rounding. */
const ROUNDING = 1e-9
/** Bits of a number of the generator. */
const BITS = 32

/** Below this probability, a difference is not taken for chance. */
export const SIGNIFICANT: number = 0.05

/**
 * The probability that differences as large as these come about by chance: a paired randomization test with two sides.
 * If two settings were equally good, each difference could as well have the other sign. The test counts how often
 * random signs give a sum that is at least as far from 0.
 *
 * Source: M. D. Smucker, J. Allan and B. Carterette, A comparison of statistical significance tests for information
 * retrieval evaluation, CIKM 2007.
 *
 * @param differences one for each question
 * @returns more than 0, at most 1; 1 without differences
 */
export async function chanceOf(differences: readonly number[]): Promise<number> {
  const sizes = differences.filter((difference) => difference !== 0)
  if (sizes.length === 0) return 1
  const observed = Math.abs(sizes.reduce((sum, size) => sum + size, 0)) - ROUNDING
  const random = randomBits(SEED)
  const slice = new TimeSlice()
  let asFar = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    let sum = 0
    for (const size of sizes) sum += random() ? size : -size
    if (Math.abs(sum) >= observed) asFar += 1
    await slice.pauseIfOver()
  }
  return (asFar + 1) / (ROUNDS + 1)
}

/** Random bits that are the same for the same seed: all bits of the numbers of the generator mulberry32. */
function randomBits(seed: number): () => boolean {
  let state = seed
  let bits = 0
  let left = 0
  return () => {
    if (left === 0) {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      bits = mixed ^ (mixed >>> 14)
      left = BITS
    }
    left -= 1
    return ((bits >>> left) & 1) === 1
  }
}
