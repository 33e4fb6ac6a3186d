/**
 * P4: the memory of a process that takes in 100 MB of text, and a PDF of 1,000 pages, and how long its event loop
 * stands still; beside a pipeline of LangChain's splitter and a store in memory. A stub stands for the model, so that
 * texts run through as fast as all the rest can. Each in a process of its own.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { messageOf } from './child-message.js'
import { spreadOf } from './measure.js'
import type { MemoryRun } from './memory-child.js'
import { writeReport } from './report.js'

const MOST_MB = 1_000
const MOST_WORK_MS = 50
const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 5
const [MEGABYTES, PAGES] = isQuick ? [1, 20] : [100, 1_000]
const CASES = [
  { name: `alcove, ${MEGABYTES} MB of text`, args: ['alcove', 'text', MEGABYTES] },
  { name: `LangChain, ${MEGABYTES} MB of text`, args: ['langchain', 'text', MEGABYTES] },
  { name: `alcove, a PDF of ${PAGES} pages`, args: ['alcove', 'pdf', PAGES] },
]

const runs = new Map<string, MemoryRun[]>()
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { name, args } of CASES) {
    const run = await runOf(args.map(String))
    if (run !== undefined) runs.set(name, [...(runs.get(name) ?? []), run])
  }
}
const rows = [...runs].map(([name, some]) => ({
  name,
  pieces: some[0]?.pieces,
  seconds: spreadOf(some.map(({ seconds }) => seconds)),
  firstHalfMb: spreadOf(some.map(({ firstHalfMb }) => firstHalfMb)),
  secondHalfMb: spreadOf(some.map(({ secondHalfMb }) => secondHalfMb)),
  longestWorkMs: spreadOf(some.map(({ longestWorkMs }) => longestWorkMs)),
}))
console.table(
  rows.map(({ name, pieces, ...spreads }) => ({
    name,
    pieces,
    ...Object.fromEntries(Object.entries(spreads).map(([figure, { median }]) => [figure, median])),
  })),
)
if (!isQuick) {
  writeReport('memory', { rows })
  const own = rows.filter(({ name }) => name.startsWith('alcove'))
  if (own.some(({ secondHalfMb }) => secondHalfMb.most >= MOST_MB)) fail(`more than ${MOST_MB} MB`)
  if (own.some(({ longestWorkMs }) => longestWorkMs.median > MOST_WORK_MS))
    fail(`the loop stood for ${MOST_WORK_MS} ms`)
}

async function runOf(args: readonly string[]): Promise<MemoryRun | undefined> {
  const child = fork(join(import.meta.dirname, 'memory-child.ts'), args, {
    execArgv: ['--import', 'tsx', '--expose-gc'],
  })
  const { run } = (await messageOf(child)) as { run?: MemoryRun }
  await once(child, 'exit')
  return run
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
