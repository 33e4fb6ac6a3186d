/** Runs in its own mount namespace: turns folders of the data folder read-only and back while an engine works. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const [dist, dataDir] = process.argv.slice(2)
const { openLocalEngine } = await import(join(dist, 'adapters/local/index.js'))

const PORTS = { vectors: 'vectorIndex', words: 'lexicalIndex', files: 'fileStore' }
const engine = await openLocalEngine({ dataDir })
const session = engine.as(engine.owner)
const context = await session.contexts.create({ name: 'Leave', description: 'Leave', caption: 'Leave' })
const upload = async (text) => {
  const { id } = await session.documents.upload(context.id, { name: `${text}.txt`, content: Buffer.from(text) })
  return id
}
const whenCompleted = async (id) => {
  for (;;) {
    const document = await session.documents.get(context.id, id)
    if (document.error !== null && document.error !== undefined) throw new Error(JSON.stringify(document.error))
    if (document.completed) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const report = []
await whenCompleted(await upload('New parents stay at home.'))
for (const [part, port] of Object.entries(PORTS)) {
  const folder = join(dataDir, part)
  execFileSync('mount', ['--bind', folder, folder])
  execFileSync('mount', ['-o', 'remount,bind,ro', folder])
  const during = await engine.health()
  const uploaded = await upload(`Holidays in ${part}.`).catch((error) => error.code)
  const found = await session.search(context.id, { prompt: 'parents' }).then((hits) => hits.length, (error) => error.code)
  execFileSync('umount', ['-l', folder])
  const after = await engine.health()
  if (typeof uploaded === 'number') await whenCompleted(uploaded)
  else await whenCompleted(await upload(`Holidays in ${part}.`))
  report.push({ part, state: during.ports[port], reason: during.reasons?.[port], uploaded, found, after: after.status })
}
await engine.close()
process.send(report)
