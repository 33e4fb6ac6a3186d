/**
 * Works on the given folder without a pause: uploads, deletes and searches. Reports its calls until its parent stops
 * it.
 */
import { openLocalEngine } from '../../../../dist/adapters/local/index.js'

const [dataDir] = process.argv.slice(2)
let isStopping = false
process.on('message', () => {
  isStopping = true
})

const engine = await openLocalEngine({ dataDir, roles: ['ingest'] })
const session = engine.as(engine.owner)
const settings = { chunkSizeTokens: 16, overlap: 0, maxSizeBytes: 1e9 }
const create = async (name) =>
  (await session.contexts.create({ name, description: '', caption: '', toolsJson: '[]', settings })).id
const main = (await session.contexts.list())[0]?.id ?? (await create('Main'))
let other = await create('Passing')

/** The number makes each text unique. The length differs, so that documents have one chunk or many. */
const textOf = (number) =>
  Array.from(
    { length: 1 + (number % 7) },
    (_, line) => `Item ${number} of list ${line} is a lamp from room ${number * 7}.`,
  ).join(' ')

const kept = []
for (let number = Date.now() % 100_000; !isStopping; number += 1) {
  const isOther = number % 4 === 0
  const content = Buffer.from(textOf(number))
  const uuid = await session.documents.upload(isOther ? other : main, { fileName: `${number}.txt`, content })
  if (isOther) {
    // The child deletes some documents, or their context, while they are processed.
    if (number % 3 === 0) await session.documents.delete(uuid)
    if (number % 5 === 0) {
      await session.contexts.delete(other)
      other = await create('Passing')
    }
  } else {
    await session.documents.whenProcessed(uuid)
    kept.push(uuid)
    if (kept.length > 25) await session.documents.delete(kept.splice(Math.floor(Math.random() * kept.length), 1)[0])
    await session.search(main, `Where is item ${number}?`)
    process.send({ completed: kept.length })
  }
}
await engine.close()
process.disconnect()
