/**
 * An engine with one part on a small disk, in a process that may mount one. Usage: `full-disk-child.ts PART FOLDER`;
 * the disk is `FOLDER/disk`. Reports the results to its parent, as JSON.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderFileStore } from '../../../dist/adapters/files/index.js'
import { LanceDbVectorIndex } from '../../../dist/adapters/lancedb/index.js'
import { openLocalEngine } from '../../../dist/adapters/local/index.js'
import { MemoryTelemetry } from '../../../dist/adapters/memory/index.js'
import { SqliteLexicalIndex } from '../../../dist/adapters/words/index.js'
import { AlcoveError } from '../../../dist/src/index.js'
import { QuickModel } from '../quick-model.js'
import { make } from '../soak/soak-documents.js'
import { inspect } from '../soak/soak-inspection.js'
import { fill, makeRoom } from './small-disk.js'

export type Part = 'files' | 'database' | 'vectors' | 'words'

export interface FullDiskReport {
  /** The error of an upload while the disk was full, or `accepted` for a part that uploads do not need. */
  readonly upload: string
  readonly search: string
  /** True when the failed upload holds no quota; otherwise the error. */
  readonly isFree: boolean | string
  /** The content of the folder of unfinished files. */
  readonly left: readonly string[]
  /** State of the documents while the disk was full, and once it had room. */
  readonly during: readonly string[]
  readonly after: readonly string[]
  /** Codes of the errors of jobs, each once. */
  readonly failures: readonly unknown[]
  readonly problems: readonly string[]
}

const [part, folder] = process.argv.slice(2) as [Part, string]
const disk = join(folder, 'disk')
const rest = join(folder, 'rest')
const dataDir = part === 'database' ? join(disk, 'data') : rest
const places = {
  database: join(dataDir, 'alcove.sqlite'),
  files: join(part === 'files' ? disk : rest, 'files'),
  vectors: join(part === 'vectors' ? disk : rest, 'vectors'),
  words: join(part === 'words' ? disk : rest, 'words'),
}
let delayMs = 0
const telemetry = new MemoryTelemetry()
const engine = await openLocalEngine({
  dataDir,
  embeddingModels: [await QuickModel.open({ dimensions: 384, delayMs: () => delayMs })],
  fileStore: new FolderFileStore(places.files),
  vectorIndex: new LanceDbVectorIndex(places.vectors),
  lexicalIndex: new SqliteLexicalIndex(places.words),
  telemetry,
})
const session = engine.as(engine.owner)
const settings = { chunkSizeTokens: 60, overlap: 0 }
const { id } = await session.contexts.create({ name: 'Disk', description: '', caption: '', toolsJson: '[]', settings })
const first = await upload(1, 20_000)
await session.documents.whenProcessed(first)

// The engine processes this document when the disk becomes full.
delayMs = 1_500
await upload(2, 120_000)
await new Promise((resolve) => setTimeout(resolve, 400))
await fill(disk)
const uploaded = await upload(3, 600_000).then(() => 'accepted', sentence)
const searched = await session
  .search(id, 'a lamp in the garden')
  .then((results) => `${results.length} results`, sentence)
await new Promise((resolve) => setTimeout(resolve, 4_000))
const sizes = (await session.documents.list(id)).reduce((sum, { size }) => sum + size, 0)
const { maxSize } = await session.contexts.get(id)
// The room is exact when a file of just that size still fits.
const isFree = await session.documents.checkRoom(id, maxSize - sizes).then(() => true, sentence)
const left = (await readdir(join(places.files, 'unfinished')).catch(() => [])).map(String)
const during = await states()
delayMs = 0
await makeRoom(disk)
// The refused document, or one more.
await upload(uploaded === 'accepted' ? 4 : 3, 600_000)
for (const document of await session.documents.list(id)) {
  await session.documents.whenProcessed(document.fileName).catch(() => undefined)
}
const after = await states()
await engine.whenCleared()
await engine.close()
const failures = telemetry.events
  .filter(({ name }) => name === 'jobs.failed')
  .map(({ error }) => (error instanceof AlcoveError ? error.code : String(error)))
const report: FullDiskReport = {
  upload: uploaded,
  search: searched,
  isFree,
  left,
  during,
  after,
  failures: [...new Set(failures)],
  problems: await inspect(places),
}
process.send?.(report)
process.disconnect()

async function upload(seed: number, characters: number): Promise<string> {
  const { fileName, bytes } = await make({ kind: 'txt', seed, characters })
  return await session.documents.upload(id, { fileName, content: bytes })
}

async function states(): Promise<string[]> {
  return (await session.documents.list(id)).map(
    ({ completed, error }) => error ?? (completed === null ? 'waits' : 'completed'),
  )
}

function sentence(error: unknown): string {
  return error instanceof AlcoveError ? `${error.code}: ${error.message}` : String(error)
}
