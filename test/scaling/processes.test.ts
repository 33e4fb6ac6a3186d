import { expect, it } from 'vitest'
import { sized } from '../full-form.js'
import { DATABASES } from '../src/outbox/database.js'
import { runIngestion } from './run-ingestion.js'

const DOCUMENTS = sized(24, 40)
const [postgres] = DATABASES.filter(({ name }) => name === 'PostgreSQL')

it.runIf(postgres !== undefined)(
  'ingestion by processes that are killed stores each document once, with its vectors',
  async () => {
    const database = await postgres?.openEmpty()
    if (database === undefined) return
    const seed = Math.floor(Math.random() * 1e6)
    const report = await runIngestion({
      databaseUrl: database.address,
      processes: 2,
      documents: DOCUMENTS,
      killEveryMs: [7_000, 10_000],
      seed,
    })
    await database.dispose()
    expect(report).toMatchObject({ problems: [], documents: DOCUMENTS })
    expect(report.processesKilled).toBeGreaterThan(0)
  },
  240_000,
)
