import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../adapters/local/index.js'
import { IS_FULL_FORM, sized } from '../full-form.js'
import { SEED, seededRandom } from '../seeded-random.js'
import { temporaryFolder } from '../temporary-folder.js'

const random = seededRandom(SEED)

const REPLACEMENTS = sized(20, 1_000)
const LONGEST_LIFE = 14
const MINUTE_MS = 60_000

interface Message {
  /** The version that was complete when the process began. */
  readonly found?: number
  readonly completed?: number
  readonly searches?: number
  readonly problem?: string
}

/** Lets a process replace the document until it has replaced it so often, and kills it a moment later. */
async function untilKilled(dataDir: string, replacements: number, totals: { completed: number; searches: number }) {
  const child = fork(join(import.meta.dirname, 'replace-child.mjs'), [dataDir, String(REPLACEMENTS)])
  const problems: string[] = []
  let replaced = 0
  const enough = new Promise<void>((resolve) => {
    child.on('message', ({ found, completed, searches = 0, problem }: Message) => {
      if (problem !== undefined) problems.push(problem)
      if (found !== undefined) totals.completed = found
      if (completed === undefined) return
      totals.completed = completed
      totals.searches += searches
      replaced += 1
      if (replaced >= replacements) resolve()
    })
  })
  const ended = once(child, 'exit')
  await Promise.race([enough.then(async () => await setTimeout(random() * 300)), ended])
  child.kill('SIGKILL')
  await ended
  expect(problems).toEqual([])
  return child.signalCode
}

describe('a document that is replaced again and again while its process is killed', () => {
  // K1
  it(
    'is found as exactly one of both versions by every search',
    async () => {
      const folder = await temporaryFolder()
      const dataDir = join(folder.path, 'data')
      const totals = { completed: 0, searches: 0 }
      const begunAt = performance.now()
      let kills = 0
      while (totals.completed < REPLACEMENTS) {
        const signal = await untilKilled(dataDir, 1 + Math.floor(random() * LONGEST_LIFE), totals)
        if (signal === 'SIGKILL') kills += 1
      }
      expect(kills).toBeGreaterThanOrEqual(REPLACEMENTS / LONGEST_LIFE - 1)
      expect(totals.searches).toBeGreaterThan(REPLACEMENTS)
      const seconds = Math.round((performance.now() - begunAt) / 1_000)
      if (IS_FULL_FORM)
        process.stdout.write(
          `${totals.completed} replacements, ${kills} kills, ${totals.searches} searches in ${seconds} s\n`,
        )

      const engine = await openLocalEngine({ dataDir })
      const session = engine.as(engine.owner)
      const [context] = await session.contexts.list()
      const documents = await session.documents.list(context?.id ?? 0)
      expect(documents).toMatchObject([{ originalName: `manual-${REPLACEMENTS}.txt`, replacement: null }])
      await engine.whenCleared()
      const { problems, checked } = await engine.administration.verify()
      expect(problems).toEqual([])
      expect(checked).toMatchObject({ documents: 1, files: 1, windows: checked.vectors, chunks: checked.indexedChunks })
      await engine.close()
      await folder.remove()
    },
    sized(6, 90) * MINUTE_MS,
  )
})
