/** Opens the given folder, and is killed at the given moment of an upload. */
import { join } from 'node:path'
import { FolderFileStore } from '../../dist/adapters/files/index.js'
import { openLocalEngine } from '../../dist/adapters/local/index.js'

const [dataDir, moment] = process.argv.slice(2)

class DeadlyFileStore extends FolderFileStore {
  async write(...args) {
    const stored = await super.write(...args)
    if (moment === 'before its row') process.kill(process.pid, 'SIGKILL')
    return stored
  }
}

const engine = await openLocalEngine({ dataDir, fileStore: new DeadlyFileStore(join(dataDir, 'files')) })
const session = engine.as(engine.owner)
const { id } = await session.contexts.create({ name: 'Cut', description: '', caption: '', toolsJson: '[]' })
async function* content() {
  yield Buffer.from('Parental leave takes eighteen weeks. '.repeat(1_000))
  if (moment === 'in the middle of its bytes') process.kill(process.pid, 'SIGKILL')
}
await session.documents.upload(id, { fileName: 'leave.txt', content: content() })
