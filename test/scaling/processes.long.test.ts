import { expect, it } from 'vitest'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { SEED } from '../seeded-random.js'
import { DATABASES } from '../src/outbox/database.js'
import { runIngestion } from './run-ingestion.js'

const DOCUMENTS = sized(24, 40)
const PROCESSES = 2
/**
 * A killed process holds its documents until its lease ends, half a minute later. In the short form all kills come while
 * the first documents are processed, so one such wait is enough.
 */
const KILLS = IS_FULL_FORM
  ? { killEveryMs: [7_000, 10_000] as const }
  : { killEveryMs: [500, 2_000] as const, mostKills: 2 }
const [postgres] = DATABASES.filter(({ name }) => name === 'PostgreSQL')

it.runIf(postgres !== undefined)(
  'ingestion by processes that are killed stores each document once, with its vectors',
  async () => {
    const database = await postgres?.openEmpty()
    if (database === undefined) return
    const report = await runIngestion({
      databaseUrl: database.address,
      processes: PROCESSES,
      documents: DOCUMENTS,
      ...KILLS,
      seed: SEED,
    })
    await database.dispose()
    expect(report).toMatchObject({ problems: [], documents: DOCUMENTS })
    // The processes that run at the end are killed too.
    expect(report.processesKilled).toBeGreaterThan(PROCESSES)
  },
  240_000,
)
