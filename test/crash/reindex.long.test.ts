import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { childProgram } from '../child-program.js'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { SEED, seededRandom } from '../seeded-random.js'
import { temporaryFolder } from '../temporary-folder.js'
import { SETTINGS, twoModels } from './reindexed-context.js'
import { expectReindexed } from './reindexed-engine.js'

const random = seededRandom(SEED)

const ROUNDS = sized(6, 200)
const LONGEST_LIFE_MS = 1_500
/** Every so many rounds, a process is killed only after it has switched, within this time. */
const SWITCHES_EVERY = sized(6, 4)
const LONGEST_UNTIL_SWITCH_MS = 180_000
const MINUTE_MS = 60_000

interface Message {
  readonly searches?: number
  /** Number of the settings. */
  readonly present?: number
  readonly changes?: number
  readonly problem?: string
}

// K3
it(
  'a context that is re-indexed while its process is killed is searched as before or as after',
  async () => {
    const folder = await temporaryFolder()
    const program = await childProgram(join(import.meta.dirname, 'reindex-child.ts'))
    const totals = { kills: 0, searches: 0, switches: 0, changes: 0 }
    const problems: string[] = []
    let known = SETTINGS.length - 1
    const begunAt = performance.now()
    for (let round = 0; round < ROUNDS && problems.length === 0; round += 1) {
      const child = fork(program, [folder.path, 'changer'], { execArgv: [] })
      const ended = once(child, 'exit')
      const switched = new EventEmitter()
      child.on('message', ({ searches = 0, present = known, changes = 0, problem }: Message) => {
        totals.searches += searches
        if (present !== known) {
          totals.switches += 1
          switched.emit('switch')
        }
        known = present
        totals.changes += changes
        if (problem !== undefined) problems.push(problem)
      })
      await Promise.race([once(child, 'message'), ended])
      if (round % SWITCHES_EVERY === SWITCHES_EVERY - 1) {
        const signal = AbortSignal.timeout(LONGEST_UNTIL_SWITCH_MS)
        const waiting = once(switched, 'switch', { signal }).catch(() => {
          problems.push(`no switch within ${LONGEST_UNTIL_SWITCH_MS} ms in life ${round}, ${JSON.stringify(totals)}`)
        })
        await Promise.race([ended, waiting])
      }
      await Promise.race([ended, setTimeout(random() * LONGEST_LIFE_MS)])
      child.kill('SIGKILL')
      await ended
      if (child.signalCode === 'SIGKILL') totals.kills += 1
    }
    expect(problems).toEqual([])
    expect(totals.kills).toBe(ROUNDS)
    expect(totals.searches).toBeGreaterThan(ROUNDS)
    expect(totals.switches).toBeGreaterThanOrEqual(Math.floor(ROUNDS / SWITCHES_EVERY))
    const seconds = Math.round((performance.now() - begunAt) / 1_000)
    const { kills, searches, switches, changes } = totals
    if (IS_FULL_FORM)
      process.stdout.write(
        `${ROUNDS} rounds, ${kills} kills, ${searches} searches, ${switches} switches, ${changes} changes of documents in ${seconds} s\n`,
      )
    const engine = await openLocalEngine({ dataDir: join(folder.path, 'data'), embeddingModels: twoModels() })
    await expectReindexed(engine, folder.path)
    await engine.close()
    await folder.remove()
  },
  sized(3, 60) * MINUTE_MS,
)
