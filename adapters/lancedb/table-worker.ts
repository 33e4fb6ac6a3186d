/**
 * Works on one table in a separate process: its memory, its temporary files and its share of the processors are not the
 * host's. It can be killed at any time.
 */

import { connect, Index, type Table } from '@lancedb/lancedb'
import { messageOf } from '../../src/ports/index.js'
import { lowerPriority } from '../node-kit/index.js'
import { measureProbes } from './maintenance/probe-measurement.js'
import type { SearchPlan } from './search-plan.js'
import type { Compaction, TableAnswer, TableOrder, TableTasks } from './table-process.js'
import { readIndexBuildTime } from './table-schema.js'

const LOW_PRIORITY = 10
const MAX_ROUNDS = 4
/** Rows that are written in the meantime may have to be merged too. */
const DURATION_MARGIN = 1.5

// Files that Lance writes here are for the host's user alone.
process.umask(0o077)
process.on('disconnect', () => {
  process.exit(1)
})
process.once('message', (order: TableOrder) => {
  lowerPriority(LOW_PRIORITY)
  runTask(order).then(
    (result) => send({ result }),
    (error: unknown) => send({ error: messageOf(error) }),
  )
})

async function runTask({ task, place, table: name, keepFromMs }: TableOrder): Promise<TableTasks[keyof TableTasks]> {
  const connection = await connect(place.uri, { storageOptions: { ...place.storageOptions } })
  const table = await connection.openTable(name)
  const keepFrom = new Date(keepFromMs)
  return task === 'compact' ? await compact(table, keepFrom) : await buildAndMeasure(table, task === 'build', keepFrom)
}

/**
 * Lance takes a maximum age, and applies it after the merge: it would also remove versions that reach that age during
 * the merge. So this function first merges and removes nothing. A second call then removes versions, with the duration
 * of the merge added to the age.
 */
async function compact(table: Table, keepFrom: Date): Promise<Compaction> {
  const startedAt = performance.now()
  const { compaction } = await table.optimize({ cleanupOlderThan: new Date(0) })
  const tookMs = performance.now() - startedAt
  await table.optimize({ cleanupOlderThan: new Date(keepFrom.getTime() - tookMs * DURATION_MARGIN) })
  return { fragmentsRemoved: compaction.fragmentsRemoved }
}

async function buildAndMeasure(table: Table, isNew: boolean, keepFrom: Date): Promise<SearchPlan> {
  const rows = await table.countRows()
  if (isNew) {
    const config = Index.ivfRq({ numBits: 4, distanceType: 'cosine' })
    await table.createIndex('vector', { config, replace: true })
    await compactUntilStable(table, keepFrom)
  }
  const probes = await measureProbes(table)
  const builtAt = await readIndexBuildTime(table)
  if (builtAt === undefined) throw new Error('the vector index is missing: it is built again later')
  return { builtAt, rows, probes }
}

/**
 * Merges rows that belonged to several segments of the old index, and lets Lance divide partitions that are too large.
 * The host must not do this, because it takes minutes for a large table. A deletion may make it fail; a later
 * compaction then does it.
 */
async function compactUntilStable(table: Table, keepFrom: Date): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
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
