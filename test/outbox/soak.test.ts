import { expect, it } from 'vitest'
import { runSoak } from './run-soak.js'

it('reaches every destination at least once, with the same bytes, however often the relay is killed', async () => {
  const seed = Math.floor(Math.random() * 1e6)
  const report = await runSoak({ events: 100, destinations: 10, killEveryMs: [1_500, 2_500], seed })
  expect(report).toMatchObject({ problems: [], deliveries: 1_000 })
  expect(report.relaysKilled).toBeGreaterThan(1)
}, 180_000)
