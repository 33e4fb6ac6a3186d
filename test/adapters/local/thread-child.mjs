/** Opens an engine in a worker thread, uses it and closes it. */
import { parentPort, workerData } from 'node:worker_threads'
import { openLocalEngine } from '../../../dist/adapters/local/index.js'

const engine = await openLocalEngine({ dataDir: workerData.dataDir })
const session = engine.as(engine.owner)
const fields = { name: 'Handbook', description: 'Handbook', caption: 'Handbook', toolsJson: '[]' }
const context = await session.contexts.create(fields)
const uuid = await session.documents.upload(context.id, { fileName: 'leave.txt', content: workerData.text })
await session.documents.whenProcessed(uuid)
const [hit] = await session.search(context.id, workerData.prompt, { mode: 'semantic' })
await engine.close()
parentPort.postMessage(hit.content)
