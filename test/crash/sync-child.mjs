/** Makes the first context of a data folder what another folder is, prints the summary, and closes the engine. */
import { openLocalEngine, syncFolder } from '../../dist/adapters/local/index.js'

const [dataDir, folder] = process.argv.slice(2)
const engine = await openLocalEngine({ dataDir })
const session = engine.as(engine.owner)
const [known] = await session.contexts.list()
const context =
  known ?? (await session.contexts.create({ name: 'Crash', description: '', caption: '', toolsJson: '[]' }))
process.send('begun')
process.send(await syncFolder(session, context.id, folder, { delete: true }))
await engine.close()
process.disconnect()
