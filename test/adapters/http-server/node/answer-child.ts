/**
 * A server with large chunks in a process of its own, so that its memory is its own: `answer-child.ts FOLDER`. Context
 * 1 has 110 chunks of about 61,000 characters, of three bytes each, and finds 100 of them. It reports its address and a
 * token, and answers each message with its resident memory in bytes.
 */
import { createHttpHandler, serveHttp } from '../../../../dist/adapters/http-server/index.js'
import { openLocalEngine } from '../../../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../../dist/adapters/memory/index.js'

const CHUNKS = 110
const CHUNK_TOKENS = 3_000
const WORD = 'ა'.repeat(60)

const [folder = ''] = process.argv.slice(2)
const limits = { authRequestsPerAddressPerMinute: 1_000, searchesPerKey: 64 }
const engine = await openLocalEngine({ dataDir: folder, embeddingModels: [new MemoryEmbeddingModel()], limits })
const key = await engine.initialize()
const session = engine.as(engine.owner)
const settings = { topN: 100, chunkSizeTokens: CHUNK_TOKENS, overlap: 0 }
const { id } = await session.contexts.create({ name: 'Large', description: '', caption: '', toolsJson: '[]', settings })
const words = Array.from({ length: CHUNKS * CHUNK_TOKENS }, () => WORD)
const document = { fileName: 'large.txt', content: Buffer.from(words.join(' ')) }
await session.documents.whenProcessed(await session.documents.upload(id, document))
const { access_token: token } = await engine.authentication.issueToken({ ...key, targetApp: 'assistant' })
const server = await serveHttp(createHttpHandler(engine), { port: 0, maxConnectionsPerAddress: 1_000 })
process.on('message', () => {
  global.gc?.()
  process.send?.({ rssBytes: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ address: server.address, token })
