import { describe, expect, it } from 'vitest'
import { chanceOf, SIGNIFICANT } from '../../../../adapters/tools/evaluation/randomization-test.js'
import { seededRandom } from '../../../seeded-random.js'

describe('the probability of chance', () => {
  it('is that of equal signs for equal differences: 2 of 2^n', async () => {
    for (const count of [1, 2, 3, 5, 6, 8]) {
      expect(await chanceOf(new Array<number>(count).fill(0.5))).toBeCloseTo(2 / 2 ** count, 1)
    }
    expect(await chanceOf(new Array<number>(5).fill(1))).toBeGreaterThan(SIGNIFICANT)
    expect(await chanceOf(new Array<number>(8).fill(1))).toBeLessThan(SIGNIFICANT)
  })

  it('is 1 without differences and for differences that cancel out, and ignores questions without a difference', async () => {
    expect(await chanceOf([])).toBe(1)
    expect(await chanceOf([0, 0, 0])).toBe(1)
    expect(await chanceOf([0.5, -0.5])).toBe(1)
    expect(await chanceOf([0.3, 0, 0.2, 0])).toBe(await chanceOf([0.3, 0.2]))
  })

  it('does not depend on the direction, and is the same each time', async () => {
    const random = seededRandom(7)
    const differences = Array.from({ length: 40 }, () => random() - 0.4)
    const chance = await chanceOf(differences)
    expect(await chanceOf(differences)).toBe(chance)
    expect(await chanceOf(differences.map((difference) => -difference))).toBe(chance)
  })

  it('takes differences without a trend for significant about once in twenty times', async () => {
    const random = seededRandom(11)
    let significant = 0
    for (let round = 0; round < 200; round += 1) {
      const differences = Array.from({ length: 30 }, () => random() - 0.5)
      if ((await chanceOf(differences)) < SIGNIFICANT) significant += 1
    }
    expect(significant).toBeGreaterThan(2)
    expect(significant).toBeLessThan(22)
  })
})
