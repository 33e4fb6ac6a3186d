/**
 * Runs one benchmark, or all: `npm run bench`, `npm run bench retrieval-quality`, `… -- --quick` for a smoke test.
 * Installs the compared libraries once before, except in a smoke test and with `--without-peers`. The results become
 * `benchmarks/README.md` and the pages.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { missingPeers, WITH_PEERS } from './harness/peers.js'
import { BENCHMARKS, writePages } from './harness/write-pages.js'

const FLAGS = ['--quick', '--without-peers']
/** The time limit for all smoke tests together. */
const MOST_QUICK_SECONDS = 60
/** The smoke tests that take longest. They begin first, so that none of them runs alone at the end. */
const LONG_SMOKE_TESTS = ['search', 'words', 'rest', 'embedding', 'events', 'retrieval-quality']

const given = process.argv.slice(2)
const names = given.filter((argument) => !argument.startsWith('--'))
const flags = given.filter((argument) => argument.startsWith('--'))
const isQuick = flags.includes('--quick')
const unknown = names.find((name) => !BENCHMARKS.includes(name))
const unknownFlag = flags.find((flag) => !FLAGS.includes(flag))
if (unknown !== undefined) {
  console.error(`there is no benchmark ${unknown}: choose one of ${BENCHMARKS.join(', ')}`)
  process.exit(2)
}
if (unknownFlag !== undefined) {
  console.error(`there is no option ${unknownFlag}: choose one of ${FLAGS.join(', ')}`)
  process.exit(2)
}
const chosen = names.length > 0 ? names : BENCHMARKS
if (!isQuick && !flags.includes('--without-peers') && chosen.some((name) => WITH_PEERS.has(name))) installPeers()
// Measurements run alone. Smoke tests measure nothing, so they run at the same time.
const atOnce = pLimit(isQuick ? 3 : 1)
const began = performance.now()
const beganMs = Date.now()
const inOrder = isQuick ? chosen.toSorted((one, other) => rankOf(one) - rankOf(other)) : chosen
const outcomes = await Promise.all(inOrder.map((benchmark) => atOnce(() => run(benchmark))))
if (outcomes.some((status) => status !== 0)) process.exitCode = 1
const seconds = Math.round((performance.now() - began) / 1_000)
console.log(`\n${chosen.length === 1 ? 'this' : 'these'} took ${seconds} s`)
if (isQuick && seconds > MOST_QUICK_SECONDS)
  console.error(`smoke tests are to take less than ${MOST_QUICK_SECONDS} s together`)
if (!isQuick) {
  const kept = chosen.filter((name) => (statSync(resultsOf(name), { throwIfNoEntry: false })?.mtimeMs ?? 0) < beganMs)
  if (kept.length > 0) console.log(`no new results, the page keeps what it had: ${kept.join(', ')}`)
  await writePages()
}

/** Place in the order of smoke tests. */
function rankOf(benchmark: string): number {
  const at = LONG_SMOKE_TESTS.indexOf(benchmark)
  return at === -1 ? LONG_SMOKE_TESTS.length : at
}

function resultsOf(benchmark: string): string {
  return join(import.meta.dirname, 'results', `${benchmark}.json`)
}

/** Runs a program and prints its output at once, so that outputs of several programs do not mix. */
async function run(benchmark: string): Promise<number | null> {
  const program = join(import.meta.dirname, benchmark, `${benchmark}.ts`)
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...flags], {
    stdio: ['ignore', isQuick ? 'pipe' : 'inherit', 'inherit'],
  })
  if (!isQuick) console.log(`\n${benchmark}`)
  let output = ''
  const startedAt = performance.now()
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (output += piece))
  const [status] = (await once(child, 'close')) as [number | null]
  if (isQuick) console.log(`\n${benchmark} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)\n${output}`)
  return status
}

/**
 * Installs the compared libraries. They are no part of the engine or of its tests. Their install scripts do not run.
 */
function installPeers(): void {
  if (missingPeers().length === 0) return
  console.log('installing what the engine is compared with; that takes minutes, once')
  const options = ['--prefix', import.meta.dirname, '--ignore-scripts', '--no-save', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', ['install', ...options], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0)
    console.error(
      'they could not be installed: the engine is measured alone, and what is compared with them is not kept',
    )
}
