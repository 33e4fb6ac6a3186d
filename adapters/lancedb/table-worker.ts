/**
 * Works on one table, in a process of its own: its memory, its temporary files and its share of the processors
 * are not the host's, and it can be ended at any time.
 */
import { setPriority } from 'node:os'
import { connect, Index, type Table } from '@lancedb/lancedb'
import { measureProbes } from './probe-measurement.js'
import type { SearchPlan } from './search-plan.js'
import { vectorIndexBuiltAt } from './table-facts.js'
import type { Compaction, TableAnswer, TableOrder, TableTasks } from './table-process.js'

const LOW_PRIORITY = 10
const MOST_ROUNDS = 4
/** What was written meanwhile may have to be merged too. */
const MARGIN = 1.5

// What Lance writes here is for the host's user alone.
process.umask(0o077)
process.on('disconnect', () => {
  process.exit(1)
})
process.once('message', (order: TableOrder) => {
  setPriority(LOW_PRIORITY)
  work(order).then(
    (result) => send({ result }),
    (error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }),
  )
})

async function work({ task, place, table: name, keepFromMs }: TableOrder): Promise<TableTasks[keyof TableTasks]> {
  const connection = await connect(place.uri, { storageOptions: { ...place.storageOptions } })
  const table = await connection.openTable(name)
  const keepFrom = new Date(keepFromMs)
  return task === 'compact' ? await compact(table, keepFrom) : await measured(table, task === 'build', keepFrom)
}

/**
 * Lance is told an age, and looks at it once it has merged: what is as old by then would go too. So it merges first, and
 * removes nothing; then again, with that time left to it.
 */
async function compact(table: Table, keepFrom: Date): Promise<Compaction> {
  const began = performance.now()
  const { compaction } = await table.optimize({ cleanupOlderThan: new Date(0) })
  const tookMs = performance.now() - began
  await table.optimize({ cleanupOlderThan: new Date(keepFrom.getTime() - tookMs * MARGIN) })
  return { fragmentsRemoved: compaction.fragmentsRemoved }
}

async function measured(table: Table, isNew: boolean, keepFrom: Date): Promise<SearchPlan> {
  const rows = await table.countRows()
  if (isNew) {
    const config = Index.ivfRq({ numBits: 4, distanceType: 'cosine' })
    await table.createIndex('vector', { config, replace: true })
    await settle(table, keepFrom)
  }
  const probes = await measureProbes(table)
  const builtAt = await vectorIndexBuiltAt(table)
  if (builtAt === undefined) throw new Error('the vector index is not there')
  return { builtAt, rows, probes }
}

/**
 * Merges what belonged to several segments of the old index, and lets Lance divide partitions that are too large,
 * which takes minutes in a large table: not to be left to the host. A deletion may forestall it: another time, then.
 */
async function settle(table: Table, keepFrom: Date): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = await table.version()
    try {
      await compact(table, keepFrom)
    } catch {
      return
    }
    if ((await table.version()) === before) return
  }
}

function send(answer: TableAnswer): void {
  process.send?.(answer)
  process.disconnect()
}
