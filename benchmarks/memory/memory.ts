/**
 * P4: the memory of a host that ingests 100 MB of text, or a PDF of 1,000 pages, with all processes that it starts.
 * Measures the longest stop of its event loop too. LangChain's splitter runs beside it. In these cases a stub stands
 * for the model, so that all other work runs at full speed. The engine with its own model ingests a shorter text. Each
 * run has a process of its own.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../harness/child-message.js'
import { type Spread, spreadOf } from '../harness/measure.js'
import { withPlainProgram } from '../harness/plain-program.js'
import { writeReport } from '../harness/report.js'
import type { HostRun, Ready, Way } from './memory-child.js'
import { writePdf, writeText } from './memory-documents.js'
import { type MemoryPeaks, MemorySampling, SEES_OTHERS } from './memory-sampling.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const [TEXT_KB, MODEL_TEXT_KB, PAGES] = isQuick ? [100, 10, 5] : [100_000, 1_000, 1_000]

type Run = Omit<HostRun, 'ownPeaks'> & MemoryPeaks

const folder = await mkdtemp(join(tmpdir(), 'alcove-memory-'))
const [text, modelText, pdf] = [join(folder, 'text.txt'), join(folder, 'short.txt'), join(folder, 'pages.pdf')]
const STUB = 'a stub for the model'
const CASES: readonly { readonly name: string; readonly way: Way; readonly path: string }[] = [
  { name: `alcove, ${sizeOf(TEXT_KB)} of text, ${STUB}`, way: 'alcove', path: text },
  {
    name: `LangChain's splitter, vectors in an array, ${sizeOf(TEXT_KB)} of text, ${STUB}`,
    way: 'langchain',
    path: text,
  },
  { name: `alcove, a PDF of ${PAGES} pages, ${STUB}`, way: 'alcove', path: pdf },
  { name: `alcove with its model, ${sizeOf(MODEL_TEXT_KB)} of text`, way: 'alcove with its model', path: modelText },
]

const runs = await runAll()
const rows = [...runs].map(([name, some]) => {
  const of = (figure: keyof Run): Spread => spreadOf(some.map((run) => run[figure]))
  return {
    name,
    pieces: of('pieces').median,
    seconds: of('seconds'),
    hostFirstHalfMb: of('hostFirstHalfMb'),
    hostSecondHalfMb: of('hostSecondHalfMb'),
    withChildrenFirstHalfMb: of('withChildrenFirstHalfMb'),
    withChildrenSecondHalfMb: of('withChildrenSecondHalfMb'),
    // About 1 means that memory stays flat.
    secondHalfToFirst: spreadOf(some.map((run) => run.withChildrenSecondHalfMb / run.withChildrenFirstHalfMb)),
    longestWorkMs: of('longestWorkMs'),
    longestStopMs: of('longestStopMs'),
  }
})
console.table(
  rows.map(({ name, pieces, ...spreads }) => ({
    name,
    pieces,
    // The targets judge the worst round.
    ...Object.fromEntries(Object.entries(spreads).map(([figure, { most }]) => [figure, most])),
  })),
)
const counted = SEES_OTHERS
  ? 'the host, and all processes that it starts'
  : 'the host alone, as far as this system tells'
console.log(`memory of ${counted}`)
// A smoke test runs beside other work, so its figures do not count.
if (!isQuick) writeReport('memory', { memoryOf: counted, rows })

async function runAll(): ReturnType<typeof allRounds> {
  try {
    return await withPlainProgram('memory/memory-child.ts', allRounds)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function allRounds(program: string): Promise<ReadonlyMap<string, readonly Run[]>> {
  await writeText(text, TEXT_KB * 1_000)
  await writeText(modelText, MODEL_TEXT_KB * 1_000)
  await writePdf(pdf, PAGES)
  const all = new Map<string, Run[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, way, path } of CASES) {
      const run = await runOf(program, way, path)
      if (run !== undefined) all.set(name, [...(all.get(name) ?? []), run])
    }
  }
  return all
}

async function runOf(program: string, way: Way, path: string): Promise<Run | undefined> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const host = fork(program, [way, path, dataDir], { execArgv: [] })
  const exit = once(host, 'exit')
  try {
    const { pid, isThere } = (await messageOf(host)) as Ready
    if (!isThere) return undefined
    const sampling = SEES_OTHERS ? new MemorySampling(pid) : undefined
    host.send('begin')
    const { ownPeaks, ...run } = (await messageOf(host)) as HostRun
    const peaks = sampling?.end() ?? ownPeaks
    if (peaks === undefined) throw new Error('nobody has looked at the memory')
    await exit
    return { ...run, ...peaks }
  } finally {
    // A host that still runs has failed, or has nothing to do.
    host.kill('SIGKILL')
    await exit
    await rm(dataDir, { recursive: true })
  }
}

function sizeOf(kilobytes: number): string {
  return kilobytes < 1_000 ? `${kilobytes} kB` : `${kilobytes / 1_000} MB`
}
