/** Works on the given folder until all documents are done; the one named poison.txt kills the process. */
import { join } from 'node:path'
import { FolderFileStore } from '../../dist/adapters/files/index.js'
import { KnexStorage, openSqlite } from '../../dist/adapters/knex/index.js'
import * as memory from '../../dist/adapters/memory/index.js'
import { createEngine } from '../../dist/src/index.js'

class DeadlyExtractor extends memory.MemoryTextExtractor {
  async *extract(source, options) {
    if (source.fileName === 'poison.txt') process.kill(process.pid, 'SIGKILL')
    // This document is in progress beside the other one each time that one kills the process.
    await new Promise((resolve) => setTimeout(resolve, 200))
    yield* super.extract(source, options)
  }
}

const [folder] = process.argv.slice(2)
const engine = await createEngine({
  storage: new KnexStorage({ knex: openSqlite(join(folder, 'test.sqlite')) }),
  vectorIndex: new memory.MemoryVectorIndex(),
  lexicalIndex: new memory.MemoryLexicalIndex(),
  embeddingModels: [new memory.MemoryEmbeddingModel()],
  textExtractor: new DeadlyExtractor(),
  fileStore: new FolderFileStore(join(folder, 'files')),
  starterPromptWriter: new memory.MemoryStarterPromptWriter(),
  tokenSigner: new memory.MemoryTokenSigner(),
  httpTransport: new memory.MemoryHttpTransport(),
  secretKey: new Uint8Array(32),
  passwordHasher: new memory.MemoryPasswordHasher(),
  commonPasswords: new memory.MemoryCommonPasswords(),
  mailer: new memory.MemoryMailer(),
  isAlone: true,
})
process.send('ready')
const session = engine.as(engine.owner)
const NEW_CONTEXT = { name: 'Crash', description: '', caption: '', toolsJson: '[]' }
const { id } = (await session.contexts.list())[0] ?? (await session.contexts.create(NEW_CONTEXT))
const known = (await session.documents.list(id)).map(({ originalName }) => originalName)
for (const fileName of ['harmless.txt', 'poison.txt'].filter((name) => !known.includes(name))) {
  await session.documents.upload(id, { fileName, content: Buffer.from(`text of ${fileName}`) })
}
for (const { fileName } of await session.documents.list(id)) {
  await session.documents.whenProcessed(fileName).catch(() => undefined)
}
const documents = await session.documents.list(id)
process.send(documents.map(({ originalName, completed, error }) => ({ originalName, completed, error })))
await engine.close()
process.disconnect()
