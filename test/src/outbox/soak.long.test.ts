import { expect, it } from 'vitest'
import { IS_FULL_FORM, sized } from '../../full-form.js'
import { SEED } from '../../seeded-random.js'
import { DATABASES } from './database.js'
import { runSoak } from './run-soak.js'

const EVENTS = sized(30, 60)

it.runIf(IS_FULL_FORM)(
  'the relay reaches every destination at least once, with the same bytes, however often it is killed',
  async () => {
    const report = await runSoak({ events: 100, destinations: 10, killEveryMs: [1_500, 2_500], seed: SEED })
    expect(report).toMatchObject({ problems: [], deliveries: 1_000 })
    expect(report.relaysKilled).toBeGreaterThan(1)
  },
  180_000,
)

it.runIf(DATABASES.some(({ name }) => name === 'PostgreSQL'))(
  'several relays on PostgreSQL reach every destination at least once, however often they are killed',
  async () => {
    const report = await runSoak({
      events: EVENTS,
      destinations: 10,
      database: 'PostgreSQL',
      relays: 2,
      killEveryMs: [2_500, 4_000],
      seed: SEED,
    })
    expect(report).toMatchObject({ problems: [], deliveries: EVENTS * 10 })
    expect(report.relaysKilled).toBeGreaterThan(1)
  },
  180_000,
)
