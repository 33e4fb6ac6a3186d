/**
 * An engine that only ingests, in a process of its own, on a database that others share: `ingestion-child.ts
 * DATABASE_URL DATA_DIR`. It reports to its parent when it is ready and how many documents it has completed.
 */
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'

const [, , databaseUrl = '', dataDir = ''] = process.argv
const engine = await openLocalEngine({
  dataDir,
  databaseUrl,
  embeddingModels: [new MemoryEmbeddingModel()],
  roles: ['ingest'],
})
let completed = 0
engine.on('document.completed', () => {
  completed += 1
})
setInterval(() => {
  process.send?.({ done: completed })
  completed = 0
}, 100).unref()
process.on('disconnect', () => process.exit(1))
process.send?.('ready')
