/** A program that embeds the engine: `start-child.mjs FOLDER`. Prints how long its start and its first search took. */
const [folder] = process.argv.slice(2)
const began = performance.now()
const { openLocalEngine } = await import('../../dist/adapters/local/index.js')
const importMs = performance.now() - began
const engine = await openLocalEngine({ dataDir: folder })
const readyMs = performance.now() - began
const session = engine.as(engine.owner)
const [context] = await session.contexts.list()
await session.search(context.id, 'what is it about?')
const firstSearchMs = performance.now() - began - readyMs
await engine.close()
console.log(JSON.stringify({ importMs, readyMs, firstSearchMs }))
