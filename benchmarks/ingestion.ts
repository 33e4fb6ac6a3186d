/**
 * P3: from upload to searchable, beside the model alone: the same windows in one call of the adapter. How much of an
 * ingestion the model runs is the time that it needs alone, as a share of the whole.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import { openDefaultModel, windowsOf } from './default-model.js'
import { inTurn } from './measure.js'
import { writeReport } from './report.js'
import { sampleTexts } from './sample-texts.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const TEXT = isQuick ? (sampleTexts()[0] ?? '').slice(0, 8_000) : sampleTexts().join('\n\n')
const bytes = Buffer.byteLength(TEXT)

const dataDir = await mkdtemp(join(tmpdir(), 'alcove-ingestion-'))
const engine = await openLocalEngine({ dataDir })
const session = engine.as(engine.owner)
const model = await openDefaultModel()
const windows = await windowsOf([TEXT], model)

// The model is loaded, and what is measured is not the first of its kind.
await ingest('Warm-up', TEXT.slice(0, 4_000))
const figures = await inTurn(ROUNDS, [
  { name: 'ingestionMs', run: () => timed(() => ingest('Round', TEXT)) },
  { name: 'modelAloneMs', run: () => timed(() => model.embed(windows, { kind: 'passage' })) },
])
await model.close()
await engine.close()
await rm(dataDir, { recursive: true })

const [ingestionMs, modelAloneMs] = [figures.get('ingestionMs'), figures.get('modelAloneMs')]
const seconds = (ingestionMs?.median ?? Number.NaN) / 1_000
const results = {
  bytes,
  windows: windows.length,
  ingestionMs,
  modelAloneMs,
  kilobytesPerSecond: Math.round(bytes / 100 / seconds) / 10,
  windowsPerSecond: Math.round(windows.length / seconds),
  modelShare: Math.round((modelAloneMs?.median ?? Number.NaN) / 10 / seconds) / 100,
}
const { kilobytesPerSecond, windowsPerSecond, modelShare } = results
console.table([{ kilobytesPerSecond, windowsPerSecond, modelShare }])
if (!isQuick) writeReport('ingestion', results)

/** In a context of its own: what a context has embedded before, it does not embed again. */
async function ingest(name: string, text: string): Promise<void> {
  const { id } = await session.contexts.create({ name, description: '', caption: '', toolsJson: '[]' })
  const uuid = await session.documents.upload(id, { fileName: 'text.txt', content: Buffer.from(text) })
  await session.documents.whenProcessed(uuid)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
