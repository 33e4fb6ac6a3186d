/**
 * P2: how fast windows of real text become vectors, through the adapter of the engine; beside the bare session of the
 * runtime on the shape that it computes fastest, and beside transformers.js and fastembed with the same weights. Each in
 * a process of its own, in turn.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { messageOf } from './child-message.js'
import { openDefaultModel, windowsOf } from './default-model.js'
import type { EmbeddingRun } from './embedding-contestant.js'
import { type Spread, spreadOf } from './measure.js'
import { writeReport } from './report.js'
import { sampleTexts } from './sample-texts.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const ALCOVE = 'alcove'
const BARE = 'the raw ONNX session, one ideal shape'
const PIPELINE = 'transformers.js pipeline, batches of 25 in order'
const FASTEMBED = 'fastembed, the same weights'
/** As AnythingLLM cuts. */
const PIPELINE_CHARACTERS = 1_000

const texts = sampleTexts()
const model = await openDefaultModel()
const windows = await windowsOf(texts, model)
await model.close()
const pieces = texts.flatMap((text) => inPieces(text, PIPELINE_CHARACTERS))
const inputs: Readonly<Record<string, readonly string[]>> = {
  [ALCOVE]: windows,
  [BARE]: windows,
  [PIPELINE]: pieces,
  [FASTEMBED]: pieces,
}

const processes = new Map<string, ChildProcess>()
for (const [name, input] of Object.entries(inputs)) {
  const program = join(import.meta.dirname, 'embedding-contestant.ts')
  const child = fork(program, [name], { execArgv: ['--import', 'tsx'] })
  child.send({ texts: isQuick ? input.slice(0, 12) : input })
  const { isThere } = (await messageOf(child)) as { isThere: boolean }
  if (isThere) processes.set(name, child)
  else child.kill()
}
const runs = new Map<string, EmbeddingRun[]>()
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, child] of processes) {
    child.send('run')
    runs.set(name, [...(runs.get(name) ?? []), (await messageOf(child)) as EmbeddingRun])
  }
}
for (const child of processes.values()) child.kill()

const figures = [...runs].map(([name, some]) => ({
  name,
  tokensPerSecond: spread(some.map(({ tokens, ms }) => (tokens / ms) * 1_000)),
  // The bare session is given no text.
  kilobytesPerSecond: name === BARE ? undefined : spread(some.map(({ bytes, ms }) => bytes / ms)),
}))
const median = (name: string, of: 'tokensPerSecond' | 'kilobytesPerSecond'): number =>
  figures.find((figure) => figure.name === name)?.[of]?.median ?? Number.NaN
const ratios = {
  'tokens/s beside the raw session': ratio(median(ALCOVE, 'tokensPerSecond'), median(BARE, 'tokensPerSecond')),
  'kB/s beside the pipeline': ratio(median(ALCOVE, 'kilobytesPerSecond'), median(PIPELINE, 'kilobytesPerSecond')),
}
console.table(
  figures.map(({ name, tokensPerSecond, kilobytesPerSecond }) => ({
    name,
    'tokens/s': tokensPerSecond.median,
    'kB/s': kilobytesPerSecond?.median,
  })),
)
console.table([ratios])
if (!isQuick) writeReport('embedding', { windows: windows.length, figures, ratios })

function inPieces(text: string, characters: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / characters) }, (_, at) =>
    text.slice(at * characters, (at + 1) * characters),
  )
}

function spread(values: readonly number[]): Spread {
  return spreadOf(values.map((value) => Math.round(value * 10) / 10))
}

function ratio(one: number, other: number): number {
  return Math.round((one / other) * 100) / 100
}
