/**
 * An engine in a folder, or on a database that others share: `reindex-child.ts FOLDER ROLE [DATABASE_URL]`. It searches
 * the first context all the time. In the role `changer` it also re-indexes both contexts without a pause, and changes
 * the documents of the second one. A problem is a message, and ends the process.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { sized } from '../full-form.js'
import { ChangingDocuments } from './changing-documents.js'
import { MODES, makePlan, numberOf, problemOfSearch, readPlan, settingsAt, twoModels } from './reindexed-context.js'

const [, , folder = '', role = '', databaseUrl] = process.argv
/** In the short form most searches meet a re-index that waits for the lease of a killed process. */
const SEARCH_EVERY_MS = sized(150, 50)
const MOST_SEARCHES = 8
const CHANGE_EVERY_MS = sized(300, 100)
/** A change to the settings after the next ones, or back to the present ones, comes within this time. */
const SECOND_THOUGHT_MS = 200

const dataDir = join(folder, 'data')
const engine = await openLocalEngine({ dataDir, ...(databaseUrl && { databaseUrl }), embeddingModels: twoModels() })
const session = engine.as(engine.owner)
const plan = (await readPlan(folder)) ?? (await makePlan(session, folder))

function failWith(problem: string | undefined): void {
  if (problem === undefined) return
  process.send?.({ problem }, () => process.exit(1))
}

/** Begins searches at a steady rate, even if earlier ones have not ended; a busy machine has a few of them at a time. */
async function searchAlways(): Promise<void> {
  let underWay = 0
  for (let round = 0; ; round += 1) {
    await setTimeout(SEARCH_EVERY_MS)
    if (underWay >= MOST_SEARCHES) continue
    underWay += 1
    void problemOfSearch(session, plan, MODES[round % MODES.length] ?? 'hybrid').then((problem) => {
      underWay -= 1
      failWith(problem)
      process.send?.({ searches: 1 })
    })
  }
}

/**
 * Goes on with the re-index that a killed process has left, and starts the next one after each. In some lives, changes
 * are cancelled, or followed by another.
 */
async function reindexAlways(contextId: number): Promise<void> {
  const isFickle = Math.random() < 0.4
  const change = async (turn: number): Promise<void> => {
    await session.contexts.update(contextId, { settings: settingsAt(turn) })
  }
  for (;;) {
    const settings = await session.contexts.settings(contextId)
    const present = numberOf(settings)
    if (contextId === plan.contextId) process.send?.({ present })
    if (settings.reindexing === null || isFickle) await change(present + 1)
    if (isFickle) {
      await setTimeout(Math.random() * SECOND_THOUGHT_MS)
      // Settings that are present again would be another re-index, if the first one has ended meanwhile.
      const isUnchanged = numberOf(await session.contexts.settings(contextId)) === present
      if (isUnchanged) await change(Math.random() < 0.5 ? present : present + 2)
    }
    await session.contexts.whenReindexed(contextId)
  }
}

async function changeAlways(documents: ChangingDocuments): Promise<void> {
  for (;;) {
    await documents.change()
    process.send?.({ changes: 1 })
    await setTimeout(CHANGE_EVERY_MS)
  }
}

process.on('disconnect', () => process.exit(1))
if (role === 'changer') {
  const documents = new ChangingDocuments(session, plan.changingId, folder)
  failWith(await documents.problem())
  process.send?.('ready')
  await Promise.all([
    searchAlways(),
    reindexAlways(plan.contextId),
    reindexAlways(plan.changingId),
    changeAlways(documents),
  ])
} else {
  process.send?.('ready')
  await searchAlways()
}
