/**
 * Answers questions from the documents of a folder, and remembers them for the next time.
 *
 *     npx tsx examples/ask-a-folder.ts examples/documents 'How long is parental leave?'
 */
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AlcoveError } from 'alcove'
import { openLocalEngine } from 'alcove/local'

const [folder, ...questions] = process.argv.slice(2)
if (folder === undefined || questions.length === 0) {
  console.error('usage: ask-a-folder FOLDER QUESTION...')
  process.exit(2)
}

const engine = await openLocalEngine({ dataDir: process.env['DATA_DIR'] ?? './alcove-data' })
// Ctrl-C leaves what is under way to the next start.
process.once('SIGINT', () => void engine.close().then(() => process.exit(130)))
const session = engine.as(engine.owner)
const known = (await session.contexts.list()).find(({ name }) => name === folder)
const context =
  known ?? (await session.contexts.create({ name: folder, description: folder, caption: folder, toolsJson: '[]' }))

for (const entry of await readdir(folder, { withFileTypes: true })) {
  if (!entry.isFile()) continue
  try {
    // The same bytes under the same name are the document there is: nothing is done twice.
    const content = createReadStream(join(folder, entry.name))
    const uuid = await session.documents.upload(context.id, { fileName: entry.name, content })
    await session.documents.whenProcessed(uuid)
  } catch (error) {
    if (!(error instanceof AlcoveError)) throw error
    console.error(`${entry.name} is left out: ${error.message} (${error.code})`)
  }
}

const names = new Map((await session.documents.list(context.id)).map(({ id, displayName }) => [id, displayName]))
for (const question of questions) {
  const [best] = await session.search(context.id, question, { topN: 1 })
  console.log(`\n${question}`)
  console.log(best === undefined ? 'nothing found' : `${names.get(best.docId) ?? ''}: ${best.content}`)
}
await engine.close()
