import { expect, it } from 'vitest'
import { IS_FULL_FORM, sized } from '../../full-form.js'
import { SEED } from '../../seeded-random.js'
import { runMemory } from '../run-memory.js'
import { runSoak } from './run-soak.js'

const KILLS = sized(4, 6)

// K
it('a process killed at random points and at hooks loses, duplicates and leaves behind nothing', async () => {
  const report = await runSoak({
    kills: KILLS,
    killsPerInspection: KILLS / 2,
    leastEvidence: 10,
    hasRealModel: false,
    seed: SEED,
  })
  expect(report, `seed ${SEED}`).toMatchObject({ problems: [] })
  const { kills, acknowledgedCalls, documentsInspected, chunksSearched } = report
  expect(kills, `seed ${SEED}`).toBeGreaterThanOrEqual(KILLS)
  expect(Math.min(acknowledgedCalls, documentsInspected, chunksSearched), `seed ${SEED}`).toBeGreaterThanOrEqual(10)
}, 240_000)

it.runIf(IS_FULL_FORM)(
  'an engine receives 5 MB of text in one context with flat memory and a running event loop',
  async () => {
    const rounds = [await runMemory({ megabytes: 5, model: 'quick' })]
    // A busy machine may spoil one run.
    while (rounds.length < 3 && !rounds.some(isQuick)) rounds.push(await runMemory({ megabytes: 5, model: 'quick' }))
    expect(rounds.some(isQuick), JSON.stringify(rounds)).toBe(true)
    for (const { peaksMb, chunks, windows } of rounds) {
      expect(Math.max(...peaksMb)).toBeLessThan(1_000)
      expect(chunks).toBeGreaterThan(1_000)
      expect(windows).toBeGreaterThan(5_000)
      // Received text is on the disk, so the second half needs little more memory than the first.
      expect(Math.max(...peaksMb.slice(5))).toBeLessThan(Math.max(...peaksMb.slice(0, 5)) + 150)
    }
  },
  240_000,
)

function isQuick({ longestWorkMs }: { readonly longestWorkMs: number }): boolean {
  return longestWorkMs < 50
}
