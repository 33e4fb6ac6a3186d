/**
 * A server with long lists in a process of its own, so that its memory is its own: `list-child.ts FOLDER CONTEXTS`. It
 * reports its address and a token, and answers each message with its resident memory in bytes.
 */
import { join } from 'node:path'
import { createHttpHandler, serveHttp } from '../../../../dist/adapters/http-server/index.js'
import { KnexStorage, openSqlite } from '../../../../dist/adapters/knex/index.js'
import { openLocalEngine } from '../../../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../../dist/adapters/memory/index.js'

const [folder = '', contexts = ''] = process.argv.slice(2)
const engine = await openLocalEngine({ dataDir: folder, embeddingModels: [new MemoryEmbeddingModel()] })
const key = await engine.initialize()
const session = engine.as(engine.owner)
await session.contexts.create({ name: 'Long', description: 'x'.repeat(100_000), caption: 'long', toolsJson: '[]' })
const storage = new KnexStorage({ knex: openSqlite(join(folder, 'alcove.sqlite')) })
await storage.transaction(async (repositories) => {
  const { id: _id, ...first } = (await repositories.contexts.get(1)) ?? { id: 0 }
  for (let at = 1; at < Number(contexts); at += 1) await repositories.contexts.insert(first as never)
})
await storage.close()
const { access_token: token } = await engine.authentication.issueToken({ ...key, targetApp: 'assistant' })
const server = await serveHttp(createHttpHandler(engine), { port: 0 })
process.on('message', () => {
  global.gc?.()
  process.send?.({ rssBytes: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ address: server.address, token })
