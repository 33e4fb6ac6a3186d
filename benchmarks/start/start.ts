/**
 * P6: the time from `import` to a ready engine, on a folder with 1,000 documents. The first search also loads the
 * model. Each start has a process of its own.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { spreadOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'

const isQuick = process.argv.includes('--quick')
const DOCUMENTS = isQuick ? 5 : 1_000
const STARTS = isQuick ? 1 : 15
const FIGURES = ['importMs', 'readyMs', 'firstSearchMs'] as const

type Start = Readonly<Record<(typeof FIGURES)[number], number>>

const folder = await mkdtemp(join(tmpdir(), 'alcove-start-'))
await fill(folder)
const starts = Array.from({ length: STARTS }, start)
await rm(folder, { recursive: true })
const results = Object.fromEntries(
  FIGURES.map((figure) => [figure, spreadOf(starts.map((one) => Math.round(one[figure])))]),
)
console.table(results)
if (!isQuick) writeReport('start', { documents: DOCUMENTS, ...results })

function start(): Start {
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'start-child.mjs'), folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`a start ended with ${String(status)}`)
  return JSON.parse(stdout) as Start
}

async function fill(dataDir: string): Promise<void> {
  const engine = await openLocalEngine({ dataDir })
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create({ name: 'Notes', description: '', caption: '', toolsJson: '[]' })
  // A company may have 256 running uploads.
  const few = pLimit(64)
  const uuids = await few.map(Array.from({ length: DOCUMENTS }).keys(), async (number) => {
    const content = Buffer.from(`Note ${number}: the lamp of room ${number * 7} is mended.`)
    return await session.documents.upload(id, { fileName: `${number}.txt`, content })
  })
  for (const uuid of uuids) await session.documents.whenProcessed(uuid)
  await engine.close()
}
