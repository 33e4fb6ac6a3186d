/** Opens the given folder, uploads the given file if it is new, and reports its progress until it is killed. */
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { openLocalEngine } from '../../dist/adapters/local/index.js'

const [dataDir, file] = process.argv.slice(2)
const engine = await openLocalEngine({ dataDir })
const session = engine.as(engine.owner)
engine.on('document.progress', ({ windowsEmbedded }) => process.send({ windowsEmbedded }))
const [known] = await session.contexts.list()
const context =
  known ??
  (await session.contexts.create({
    name: 'Crash',
    description: '',
    caption: '',
    toolsJson: '[]',
    settings: { chunkSizeTokens: 60, overlap: 0 },
  }))
const uuid = await session.documents.upload(context.id, { fileName: basename(file), content: createReadStream(file) })
process.send({ uuid })
const { chunks } = await session.documents.whenProcessed(uuid)
process.send({ chunks })
await engine.close()
process.disconnect()
