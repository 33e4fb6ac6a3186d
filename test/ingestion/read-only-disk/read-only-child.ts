import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { AlcoveError } from '../../../src/index.js'
import { QuickModel } from '../quick-model.js'

/** The folders of a data folder that turn read-only, one after the other, and the port of each. */
const PORTS = { vectors: 'vectorIndex', words: 'lexicalIndex', files: 'fileStore' } as const

/** What a user sees while a folder is read-only, and afterwards. */
export interface ReadOnlyReport {
  readonly part: string
  readonly health: string
  readonly reason: string | undefined
  /** `accepted`, or the code of the error. */
  readonly upload: string
  readonly finds: boolean
  /** The health of the whole engine once the folder is writable. */
  readonly after: string
}

const [dataDir = ''] = process.argv.slice(2)
const engine = await openLocalEngine({
  dataDir,
  embeddingModels: [await QuickModel.open({ dimensions: 384, delayMs: () => 0 })],
})
const session = engine.as(engine.owner)
const { id } = await session.contexts.create({ name: 'Disk', description: '', caption: '', toolsJson: '[]' })
await session.documents.whenProcessed(await upload('first'))
const reports: ReadOnlyReport[] = []
for (const part of ['vectors', 'words', 'files'] as const) {
  const folder = join(dataDir, part)
  execFileSync('mount', ['--bind', folder, folder])
  execFileSync('mount', ['-o', 'remount,bind,ro', folder])
  const { ports, reasons } = await engine.health()
  const uploaded = await upload(`while ${part}`).catch((error: unknown) => {
    if (error instanceof AlcoveError) return error
    throw error
  })
  const finds = (await session.search(id, 'parents at home')).length > 0
  execFileSync('umount', ['-l', folder])
  const { status } = await engine.health()
  // The document continues by itself, or the same upload works now.
  await session.documents.whenProcessed(typeof uploaded === 'string' ? uploaded : await upload(`while ${part}`))
  const result = typeof uploaded === 'string' ? 'accepted' : uploaded.code
  reports.push({
    part,
    health: ports[PORTS[part]],
    reason: reasons?.[PORTS[part]],
    upload: result,
    finds,
    after: status,
  })
}
await engine.close()
process.send?.(reports)
process.disconnect()

async function upload(name: string): Promise<string> {
  return await session.documents.upload(id, { fileName: `${name}.txt`, content: `New parents stay at home: ${name}.` })
}
