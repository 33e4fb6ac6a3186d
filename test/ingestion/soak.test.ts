import { expect, it } from 'vitest'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { runMemory } from './run-memory.js'
import { runSoak } from './run-soak.js'

const ROUNDS = sized(4, 6)

it('K: killed at random points, and at hooks: nothing acknowledged is lost, nothing is there twice, nothing is left', async () => {
  const seed = Math.floor(Math.random() * 1e6)
  const report = await runSoak({
    rounds: ROUNDS,
    roundsPerInspection: ROUNDS / 2,
    leastEvidence: 10,
    hasRealModel: false,
    seed,
  })
  expect(report, `seed ${seed}`).toMatchObject({ problems: [] })
  const { kills, acknowledgedCalls, documentsInspected, chunksSearched } = report
  expect(kills, `seed ${seed}`).toBeGreaterThanOrEqual(ROUNDS)
  expect(Math.min(acknowledgedCalls, documentsInspected, chunksSearched), `seed ${seed}`).toBeGreaterThanOrEqual(10)
}, 240_000)

it.runIf(IS_FULL_FORM)(
  'takes in 5 MB of text in one context: memory stays flat, and the event loop turns',
  async () => {
    const rounds = [await runMemory({ megabytes: 5, model: 'quick' })]
    // A busy machine may spoil one.
    while (rounds.length < 3 && !rounds.some(isQuick)) rounds.push(await runMemory({ megabytes: 5, model: 'quick' }))
    expect(rounds.some(isQuick), JSON.stringify(rounds)).toBe(true)
    for (const { peaksMb, chunks, windows } of rounds) {
      expect(Math.max(...peaksMb)).toBeLessThan(1_000)
      expect(chunks).toBeGreaterThan(1_000)
      expect(windows).toBeGreaterThan(5_000)
      // What is taken in is on the disk: the second half needs little that the first has not needed.
      expect(Math.max(...peaksMb.slice(5))).toBeLessThan(Math.max(...peaksMb.slice(0, 5)) + 150)
    }
  },
  240_000,
)

function isQuick({ longestWorkMs }: { readonly longestWorkMs: number }): boolean {
  return longestWorkMs < 50
}
