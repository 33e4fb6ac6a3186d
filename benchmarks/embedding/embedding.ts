/**
 * P2: the speed at which the engine's adapter computes vectors for windows of real text. The bare session of the
 * runtime runs beside it, on the shapes that it computes fastest. transformers.js and fastembed run with the same
 * weights. All run in turn, each in a process of its own.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../harness/child-message.js'
import { openDefaultModel, windowsOf } from '../harness/default-model.js'
import { bytesOf, mediansOf, type Spread, spreadOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { SAMPLE, sampleTexts } from '../harness/sample-texts.js'
import type { EmbeddingRun, Readiness } from './embedding-contestant.js'
import type { ContestantKey } from './embedding-contestants.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const CORES = availableParallelism()
/** The size of AnythingLLM's pieces. */
const PIPELINE_CHARACTERS = 1_000

const texts = isQuick ? sampleTexts().map((text) => text.slice(0, 1_200)) : sampleTexts()
const sourceBytes = bytesOf(texts)
const model = await openDefaultModel()
const windows = await windowsOf(texts, model)
await model.close()
const pieces = texts.flatMap((text) => inPieces(text, PIPELINE_CHARACTERS))
/** The input of each contestant: a list for each of its processes, which run at the same time. */
const ofEachCore = Array.from({ length: CORES }, (_, core) => windows.filter((_, index) => index % CORES === core))
const inputs: readonly (readonly [ContestantKey, readonly (readonly string[])[]])[] = [
  ['alcove', [windows]],
  ['session', [windows]],
  ['sessionOfOneThread', ofEachCore],
  ['sessionOfLongTexts', ofEachCore],
  ['pipeline', [pieces]],
  ['fastembed', [pieces]],
]

interface Team {
  readonly key: ContestantKey
  readonly name: string
  readonly processes: readonly ChildProcess[]
  readonly rounds: RoundOfTeam[]
}

interface RoundOfTeam {
  readonly tokensPerSecond: number
  /** Kilobytes of the input, which overlap where windows do. The bare session has none. */
  readonly kilobytesPerSecond?: number
  /** Kilobytes of the source texts that the input was made of. */
  readonly sourceKilobytesPerSecond?: number
}

const teams: Team[] = []
for (const [key, lists] of inputs) {
  const team = await started(key, lists)
  if (team !== undefined) teams.push(team)
}
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { key, processes, rounds } of teams) rounds.push(figuresOf(key, await Promise.all(processes.map(runOf))))
}
for (const child of teams.flatMap(({ processes }) => processes)) child.kill()

const figures = teams.map(({ name, rounds }) => ({
  name,
  tokensPerSecond: spreadOf(rounds.map((round) => round.tokensPerSecond)),
  ...(rounds[0]?.kilobytesPerSecond !== undefined && {
    kilobytesPerSecond: spreadOf(rounds.flatMap((round) => round.kilobytesPerSecond ?? [])),
    sourceKilobytesPerSecond: spreadOf(rounds.flatMap((round) => round.sourceKilobytesPerSecond ?? [])),
  }),
}))
const ratios = {
  ...ratio('tokens/s beside the raw session', 'tokensPerSecond', 'session'),
  ...ratio('tokens/s beside a raw session for each core', 'tokensPerSecond', 'sessionOfOneThread'),
  ...ratio('tokens/s beside those with texts as long as windows', 'tokensPerSecond', 'sessionOfLongTexts'),
  ...ratio('kB/s beside the pipeline', 'kilobytesPerSecond', 'pipeline'),
  ...ratio('kB/s of the source beside the pipeline', 'sourceKilobytesPerSecond', 'pipeline'),
}
console.table(
  figures.map(({ name, tokensPerSecond, kilobytesPerSecond, sourceKilobytesPerSecond }) => ({
    name,
    'tokens/s': tokensPerSecond.median,
    'kB/s': kilobytesPerSecond?.median,
    'kB/s of the source': sourceKilobytesPerSecond?.median,
  })),
)
console.table([mediansOf(ratios)])
if (!isQuick) writeReport('embedding', { text: SAMPLE, sourceBytes, windows: windows.length, figures, ratios })

/** @returns undefined if its library is not installed */
async function started(key: ContestantKey, lists: readonly (readonly string[])[]): Promise<Team | undefined> {
  const program = join(import.meta.dirname, 'embedding-contestant.ts')
  const processes = lists.map(() => fork(program, [key], { execArgv: ['--import', 'tsx'] }))
  const ready = await Promise.all(
    processes.map(async (child, index) => {
      child.send({ texts: lists[index] })
      return (await messageOf(child)) as Readiness
    }),
  )
  const name = ready[0]?.name
  if (name !== undefined) return { key, name, processes, rounds: [] }
  for (const child of processes) child.kill()
  return undefined
}

async function runOf(child: ChildProcess): Promise<EmbeddingRun> {
  child.send('run')
  return (await messageOf(child)) as EmbeddingRun
}

/** Adds up the runs of all processes of one contestant. */
function figuresOf(key: ContestantKey, runs: readonly EmbeddingRun[]): RoundOfTeam {
  const tokensPerSecond = runs.reduce((sum, { tokens, ms }) => sum + (tokens / ms) * 1_000, 0)
  if (key.startsWith('session')) return { tokensPerSecond }
  const ms = Math.max(...runs.map((run) => run.ms))
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0)
  return { tokensPerSecond, kilobytesPerSecond: bytes / ms, sourceKilobytesPerSecond: sourceBytes / ms }
}

/** The engine's figure divided by another contestant's, round by round. Empty if one of them did not run. */
function ratio(name: string, figure: keyof RoundOfTeam, other: ContestantKey): Readonly<Record<string, Spread>> {
  const roundsOf = (wanted: ContestantKey) => teams.find(({ key }) => key === wanted)?.rounds
  const [own, compared] = [roundsOf('alcove'), roundsOf(other)]
  if (own === undefined || compared === undefined) return {}
  return { [name]: spreadOf(own.map((one, round) => rateOf(one, figure) / rateOf(compared[round], figure))) }
}

/** @throws Error if the figure is missing: a ratio to nothing would pass any limit */
function rateOf(round: RoundOfTeam | undefined, figure: keyof RoundOfTeam): number {
  const rate = round?.[figure]
  if (rate === undefined) throw new Error(`${figure} was not measured`)
  return rate
}

function inPieces(text: string, characters: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / characters) }, (_, at) =>
    text.slice(at * characters, (at + 1) * characters),
  )
}
