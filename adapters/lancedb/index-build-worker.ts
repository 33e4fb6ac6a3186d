/**
 * Builds and measures the vector index of one table, in a process of its own: its memory, its temporary
 * files and its share of the processors are not the host's, and it can be ended at any time.
 */
import { setPriority } from 'node:os'
import { connect, Index, type Table } from '@lancedb/lancedb'
import type { BuildMessage, BuildOrder } from './index-build.js'
import { measureProbes } from './probe-measurement.js'
import type { SearchPlan } from './search-plan.js'
import { vectorIndexBuiltAt } from './table-facts.js'
import { KEEP_VERSIONS_MS } from './table-upkeep.js'

const LOW_PRIORITY = 10
const MOST_ROUNDS = 4

process.on('disconnect', () => {
  process.exit(1)
})
process.once('message', (order: BuildOrder) => {
  setPriority(LOW_PRIORITY)
  build(order).then(
    (plan) => send({ plan }),
    (error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }),
  )
})

async function build({ folder, table: name, measureOnly }: BuildOrder): Promise<SearchPlan> {
  const connection = await connect(folder)
  const table = await connection.openTable(name)
  const rows = await table.countRows()
  if (!measureOnly) {
    const config = Index.ivfRq({ numBits: 4, distanceType: 'cosine' })
    await table.createIndex('vector', { config, replace: true })
    await settle(table)
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
async function settle(table: Table): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = await table.version()
    try {
      await table.optimize({ cleanupOlderThan: new Date(Date.now() - KEEP_VERSIONS_MS) })
    } catch {
      return
    }
    if ((await table.version()) === before) return
  }
}

function send(message: BuildMessage): void {
  process.send?.(message)
  process.disconnect()
}
