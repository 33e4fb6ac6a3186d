/** An engine of a host whose umask lets every user read and write new files. It ends without closing. */
import { openLocalEngine } from '../../../dist/adapters/local/index.js'

const [dataDir, umask, end] = process.argv.slice(2)
process.umask(Number.parseInt(umask, 8))
try {
  const engine = await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  const context = await session.contexts.create({ name: 'Private', description: '', caption: '', toolsJson: '[]' })
  const content = Buffer.from('Parental leave takes eighteen weeks.')
  await session.documents.whenProcessed(await session.documents.upload(context.id, { fileName: 'a.txt', content }))
  await engine.administration.users.add({ email: 'ada@example.com', companyId: engine.owner.companyId })
  if (end === 'close') await engine.close()
} catch (error) {
  process.stderr.write(`${error.code}: ${error.message}\n`)
  process.exit(1)
}
process.exit(0)
