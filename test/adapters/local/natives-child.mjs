/** Uses the parts of an installed engine one after the other, and prints the code and the message of each failure. */
import { AlcoveError } from 'alcove'
import { Argon2PasswordHasher } from 'alcove/adapters/argon2'
import { openSqlite } from 'alcove/adapters/knex'
import { openLocalEngine } from 'alcove/local'

const failures = {}

async function attempt(name, work) {
  try {
    return await work()
  } catch (error) {
    failures[name] = { isOurs: error instanceof AlcoveError, code: error.code, message: error.message }
    return undefined
  }
}

process.on('unhandledRejection', (error) => {
  failures.unhandled = String(error)
})
await attempt('openSqlite', () => openSqlite('database.sqlite').destroy())
const engine = await attempt('engine', () => openLocalEngine({ dataDir: 'data' }))
if (engine !== undefined) {
  const session = engine.as(engine.owner)
  const fields = { name: 'Handbook', description: 'Handbook', caption: 'Handbook', toolsJson: '[]' }
  const context = await session.contexts.create(fields)
  await attempt('document', async () => {
    const uuid = await session.documents.upload(context.id, { fileName: 'leave.txt', content: 'Eighteen weeks.' })
    await session.documents.whenProcessed(uuid)
  })
  await attempt('meaning', async () => await session.search(context.id, 'weeks', { mode: 'semantic' }))
  await attempt('password', async () => await new Argon2PasswordHasher().hash('a long and unusual passphrase'))
  await engine.close()
}
console.log(JSON.stringify(failures))
