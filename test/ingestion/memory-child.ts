/**
 * An engine in a separate process that receives so much text in one context. Usage: `memory-child.ts MEGABYTES MODEL`;
 * the model is `quick` or `real`. Reports its memory and its event loop to its parent.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalEngineOptions } from '../../dist/adapters/local/index.js'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { seededRandom } from '../seeded-random.js'
import { LoopStops } from './loop-stops.js'
import { QuickModel } from './quick-model.js'

export interface MemoryReport {
  readonly megabytes: number
  readonly seconds: number
  /** Peak of the resident memory in each tenth of the time, in MB. */
  readonly peaksMb: readonly number[]
  /** Longest time in ms between two turns of the event loop; on a busy machine, other processes used part of it. */
  readonly longestStopMs: number
  /** Longest time in ms that the main thread computed between two turns. */
  readonly longestWorkMs: number
  readonly chunks: number
  readonly windows: number
}

const CHARACTERS_PER_FILE = 25_000_000
const [megabytes, modelName] = [Number(process.argv[2]), process.argv[3]]
const folder = await mkdtemp(join(tmpdir(), 'alcove-memory-'))
const options: LocalEngineOptions = { dataDir: folder }
const engine = await openLocalEngine(
  modelName === 'real' ? options : { ...options, embeddingModels: [await QuickModel.open({ dimensions: 384 })] },
)
const session = engine.as(engine.owner)
const settings = { maxSizeBytes: 1_000_000_000 }
const { id } = await session.contexts.create({
  name: 'Memory',
  description: '',
  caption: '',
  toolsJson: '[]',
  settings,
})

// The engine is loaded and warm, so the test measures the work alone.
await session.documents.whenProcessed(await upload('warm.txt', 20_000))
const stops = new LoopStops()
const samples: number[] = []
const sampling = setInterval(() => samples.push(process.memoryUsage.rss() / 1e6), 100)
const began = performance.now()
let [chunks, windows] = [0, 0]
for (let left = megabytes * 1e6, file = 1; left > 0; left -= CHARACTERS_PER_FILE, file += 1) {
  const uuid = await upload(`${file}.txt`, Math.min(left, CHARACTERS_PER_FILE))
  await session.documents.whenProcessed(uuid)
  const { receipt } = await session.documents.get(uuid)
  chunks += receipt?.chunks ?? 0
  windows += receipt?.windows ?? 0
}
stops.end()
clearInterval(sampling)
const report: MemoryReport = {
  megabytes,
  seconds: Math.round((performance.now() - began) / 100) / 10,
  peaksMb: peaks(samples),
  longestStopMs: Math.round(stops.longestMs),
  longestWorkMs: Math.round(stops.longestWorkAtFullSpeedMs),
  chunks,
  windows,
}
await engine.close()
await rm(folder, { recursive: true })
if (process.send === undefined) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
else process.send(report, () => process.disconnect())

async function upload(fileName: string, characters: number): Promise<string> {
  return await session.documents.upload(id, { fileName, content: text(fileName, characters) })
}

/** Sentences of which no two are the same, so that each one is embedded. */
async function* text(name: string, characters: number): AsyncGenerator<Uint8Array> {
  const random = seededRandom(name.length + characters)
  const words = 'lamp chair map clock river engine letter garden winter copper bridge signal paper harbour'.split(' ')
  for (let length = 0; length < characters; ) {
    let piece = ''
    while (piece.length < 32_768) {
      const said = Array.from({ length: 9 }, () => words[Math.floor(random() * words.length)]).join(' ')
      piece += `In ${name}, at ${length + piece.length}: ${said}.${random() < 0.1 ? '\n\n' : ' '}`
    }
    length += piece.length
    yield Buffer.from(piece)
  }
}

function peaks(all: readonly number[]): number[] {
  const size = Math.ceil(all.length / 10)
  const tenths = Array.from({ length: 10 }, (_, tenth) => all.slice(tenth * size, (tenth + 1) * size))
  return tenths.filter((part) => part.length > 0).map((part) => Math.round(Math.max(...part)))
}
