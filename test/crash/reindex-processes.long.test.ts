import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { MortalProcess } from '../mortal-process.js'
import { SEED, seededRandom } from '../seeded-random.js'
import { DATABASES } from '../src/outbox/database.js'
import { temporaryFolder } from '../temporary-folder.js'
import { makePlan, SETTINGS, twoModels } from './reindexed-context.js'
import { expectReindexed } from './reindexed-engine.js'

/** A killed process holds its jobs until their leases end, half a minute later. In the short form one wait is enough. */
const SWITCHES = sized(2, 200)
const SEARCHES = sized(100, 1_000)
const KILLS = IS_FULL_FORM
  ? { killEveryMs: [10_000, 40_000] as const }
  : { killEveryMs: [500, 3_000] as const, mostKills: 1 }
const POLL_MS = 200
const MINUTE_MS = 60_000
const [postgres] = DATABASES.filter(({ name }) => name === 'PostgreSQL')

interface Message {
  readonly searches?: number
  /** Number of the settings. */
  readonly present?: number
  readonly problem?: string
}

// K3
it.runIf(postgres !== undefined)(
  'a context that is re-indexed while several processes are killed is searched as before or as after by all of them',
  async () => {
    const database = (await postgres?.openEmpty()) ?? expect.fail()
    const folder = await temporaryFolder()
    const open = async () =>
      await openLocalEngine({
        dataDir: join(folder.path, 'data'),
        databaseUrl: database.address,
        embeddingModels: twoModels(),
      })
    const first = await open()
    await makePlan(first.as(first.owner), folder.path)
    await first.close()

    const problems: string[] = []
    const totals = { searches: 0, switches: 0 }
    let known = SETTINGS.length - 1
    const onMessage = (message: unknown): void => {
      const { searches = 0, present = known, problem } = message as Message
      totals.searches += searches
      if (present !== known) totals.switches += 1
      known = present
      if (problem !== undefined) problems.push(problem)
    }
    const random = seededRandom(SEED)
    const script = join(import.meta.dirname, 'reindex-child.ts')
    const processes = ['changer', 'searcher'].map((role) => {
      const args = [folder.path, role, database.address]
      return new MortalProcess({ script, args, ...KILLS, random, onMessage })
    })
    const begunAt = performance.now()
    try {
      for (const each of processes) each.start()
      const isEnough = () =>
        totals.switches >= SWITCHES && totals.searches >= SEARCHES && processes.every(({ killed }) => killed > 0)
      while (!isEnough() && problems.length === 0) await setTimeout(POLL_MS)
    } finally {
      await Promise.all(processes.map((each) => each.stop()))
    }
    const seconds = Math.round((performance.now() - begunAt) / 1_000)
    const deaths = processes.flatMap((each) => each.deaths)
    expect({ seed: SEED, problems, deaths }).toEqual({ seed: SEED, problems: [], deaths: [] })
    const kills = processes.reduce((sum, { killed }) => sum + killed, 0)
    const { searches, switches } = totals
    if (IS_FULL_FORM)
      process.stdout.write(`${switches} switches, ${kills} kills, ${searches} searches in ${seconds} s, seed ${SEED}\n`)

    const last = await open()
    await expectReindexed(last, folder.path)
    await last.close()
    await database.dispose()
    await folder.remove()
  },
  sized(4, 90) * MINUTE_MS,
)
