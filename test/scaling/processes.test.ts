import { expect, it } from 'vitest'
import { DATABASES } from '../outbox/database.js'
import { runIngestion } from './run-ingestion.js'

const [postgres] = DATABASES.filter(({ name }) => name === 'PostgreSQL')

it.runIf(postgres !== undefined)(
  'takes in each document once, with its vectors, by processes that are killed',
  async () => {
    const database = await postgres?.open()
    if (database === undefined) return
    const seed = Math.floor(Math.random() * 1e6)
    const report = await runIngestion({
      databaseUrl: database.address,
      processes: 2,
      documents: 40,
      killEveryMs: [7_000, 10_000],
      seed,
    })
    await database.dispose()
    expect(report).toMatchObject({ problems: [], documents: 40 })
    expect(report.processesKilled).toBeGreaterThan(0)
  },
  240_000,
)
