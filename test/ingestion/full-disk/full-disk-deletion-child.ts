/**
 * Deletes on a full disk, in a process that may mount one. Usage: `full-disk-deletion-child.ts PARTS FOLDER`; the disk
 * is `FOLDER/disk`. Reports the results to its parent, as JSON.
 */
import { join } from 'node:path'
import { FolderFileStore } from '../../../dist/adapters/files/index.js'
import { LanceDbVectorIndex } from '../../../dist/adapters/lancedb/index.js'
import { openLocalEngine } from '../../../dist/adapters/local/index.js'
import { MemoryTelemetry } from '../../../dist/adapters/memory/index.js'
import { SqliteLexicalIndex } from '../../../dist/adapters/words/index.js'
import { collect } from '../../conformance/harness.js'
import { QuickModel } from '../quick-model.js'
import { make } from '../soak/soak-documents.js'
import { inspect } from '../soak/soak-inspection.js'
import { fill, makeRoom } from './small-disk.js'

/** The parts on the small disk. */
export type Parts = 'vectors' | 'words' | 'files, vectors and words' | 'everything'

export interface FullDiskDeletionReport {
  /** The result of `whenCleared` after the deletion of a document, and of a context; `hangs` without a result. */
  readonly document: string
  readonly context: string
  /** The number of files at that time, of the four deleted documents. */
  readonly filesLeft: number
  /** The result once there was room. */
  readonly afterwards: string
  readonly failures: number
  readonly problems: readonly string[]
}

const [parts, folder] = process.argv.slice(2) as [Parts, string]
const disk = join(folder, 'disk')
const rest = join(folder, 'rest')
const dataDir = parts === 'everything' ? join(disk, 'data') : rest
const places = {
  database: join(dataDir, 'alcove.sqlite'),
  files: join(parts === 'vectors' || parts === 'words' ? rest : disk, 'files'),
  vectors: join(parts === 'words' ? rest : disk, 'vectors'),
  words: join(parts === 'vectors' ? rest : disk, 'words'),
}
/** Without a free byte, the database cannot even record a deletion, and refuses it. */
const spareBytes = parts === 'everything' ? 131_072 : 0
const telemetry = new MemoryTelemetry()
const fileStore = new FolderFileStore(places.files)
const engine = await openLocalEngine({
  dataDir,
  embeddingModels: [await QuickModel.open({ dimensions: 64, delayMs: () => 0 })],
  fileStore,
  vectorIndex: new LanceDbVectorIndex(places.vectors),
  lexicalIndex: new SqliteLexicalIndex(places.words),
  telemetry,
})
const session = engine.as(engine.owner)
const [kept, deletedContext] = [await makeContext('Kept'), await makeContext('Gone')]
const uuids = [await upload(kept, 1), await upload(kept, 2)]
for (const seed of [3, 4, 5]) await upload(deletedContext, seed)

await fill(disk, spareBytes)
await session.documents.delete(uuids[0] ?? '')
const document = await cleared()
await fill(disk, spareBytes)
await session.contexts.delete(deletedContext)
const context = await cleared()
const filesLeft = (await collect(fileStore.list())).length - 1
await makeRoom(disk)
let afterwards = await cleared()
for (let look = 0; afterwards !== 'done' && look < 100; look += 1) {
  await new Promise((resolve) => setTimeout(resolve, 200))
  afterwards = await cleared()
}
await engine.close()
const report: FullDiskDeletionReport = {
  document,
  context,
  filesLeft,
  afterwards,
  failures: telemetry.events.filter(({ name }) => name === 'jobs.failed').length,
  problems: await inspect(places),
}
process.send?.(report)
process.disconnect()

async function makeContext(name: string): Promise<number> {
  const settings = { chunkSizeTokens: 60, overlap: 0 }
  return (await session.contexts.create({ name, description: '', caption: '', toolsJson: '[]', settings })).id
}

async function upload(contextId: number, seed: number): Promise<string> {
  const { fileName, bytes } = await make({ kind: 'txt', seed, characters: 100_000 })
  const uuid = await session.documents.upload(contextId, { fileName, content: bytes })
  await session.documents.whenProcessed(uuid)
  return uuid
}

async function cleared(): Promise<string> {
  const hangs = new Promise<string>((resolve) => setTimeout(() => resolve('hangs'), 30_000).unref())
  return await Promise.race([engine.whenCleared(), hangs])
}
