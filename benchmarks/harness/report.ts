import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { PLAIN_LIBRARIES, UTF_8 } from '../extraction/plain-readings.js'
import { lockedPeers, missingPeers, versionIn, WITH_PEERS } from './peers.js'
import { sharedData } from './shared-data.js'
import { figureAt, missedBy } from './target-outcome.js'
import { TARGETS } from './targets.js'

const ROOT = join(import.meta.dirname, '../..')
const CALIBRATION_MS = 500
const READS_AT_ONCE = 100_000
/** Libraries of the engine that affect the figures. */
const LIBRARIES = ['@lancedb/lancedb', 'onnxruntime-node', 'sqlite3', 'knex', 'hono', 'zod']
/** Libraries that read documents. */
const READERS = Object.values(PLAIN_LIBRARIES)
  .flat()
  .filter((name) => name !== UTF_8)
/** Libraries that affect only some benchmarks. */
const LIBRARIES_OF: Readonly<Record<string, readonly string[]>> = {
  search: ['@electric-sql/pglite', '@electric-sql/pglite-pgvector'],
  extraction: READERS,
  documents: READERS,
}

/** The results of a benchmark, with the machine and the versions. */
export interface Report {
  readonly benchmark: string
  /** End of the run: date and time in UTC, to the minute. */
  readonly date: string
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryGb: number
    readonly node: string
    /** Results from before 2026-11-23 lack this member and the next ones. */
    readonly system?: string
    /** Processes with work in the last minute. More than the number of cores means that other programs ran too. */
    readonly load?: number
    /**
     * The speed of SHA-256 in one thread, right after the run. It shows the share of a shared machine that the run had.
     */
    readonly sha256MbPerSecond?: number
    /** Reads of one thread at random places of 64 MB. Other programs on the machine slow them down more than hashes. */
    readonly millionReadsPerSecond?: number
  }
  readonly versions?: Readonly<Record<string, string>>
  readonly results: unknown
}

/**
 * Writes `results/<name>.json`, unless a compared library is missing. Prints each target that is missed. A missed
 * target that depends on no machine ends the program with 1.
 */
export function writeReport(benchmark: string, results: unknown): void {
  const missing = WITH_PEERS.has(benchmark) ? missingPeers() : []
  const isWhole = missing.length === 0
  // Without the libraries and the shared data some figures are missing. Their targets are skipped.
  const isAllMeasured = isWhole && sharedData() !== undefined
  const targets = TARGETS.filter(
    (target) => target.benchmark === benchmark && (isAllMeasured || figureAt(results, target.path) !== undefined),
  )
  for (const { sentence, mustHold } of missedBy(targets, results)) {
    if (mustHold) fail(sentence)
    else console.log(sentence)
  }
  if (!isWhole) {
    console.error(
      `the results are not kept: ${missing.join(', ')} must be installed ("npm run bench" does it, from the registry)`,
    )
    return
  }
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    system: `${platform()} ${arch()} ${release().split('-')[0] ?? ''}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    sha256MbPerSecond: sha256MbPerSecond(),
    millionReadsPerSecond: millionReadsPerSecond(),
  }
  const date = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const report: Report = { benchmark, date, machine, versions: versions(benchmark), results }
  const folder = join(import.meta.dirname, '../results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${benchmark}.json`), `${JSON.stringify(report, null, 2)}\n`)
}

function sha256MbPerSecond(): number {
  const megabyte = Buffer.alloc(1_000_000)
  const perSecond = ratePerSecond(() => {
    createHash('sha256').update(megabyte).digest()
    return 1
  })
  return Math.round(perSecond)
}

/** Each place depends on the number that was read before, so that the processor cannot read ahead. */
function millionReadsPerSecond(): number {
  const places = new Uint32Array(2 ** 24)
  // A linear congruential generator of full period (Knuth, TAOCP 3.2.1.2) makes one path through all places.
  for (let at = 0; at < places.length; at += 1) places[at] = (Math.imul(at, 1_664_525) + 1_013_904_223) & 0xff_ffff
  let at = 0
  const perSecond = ratePerSecond(() => {
    for (let read = 0; read < READS_AT_ONCE; read += 1) at = places[at] ?? 0
    return READS_AT_ONCE
  })
  // The check uses the result, so that the compiler cannot remove the loop.
  if (at >= places.length) throw new Error('read beyond the end')
  return Math.round(perSecond / 1e5) / 10
}

/** @param work does a part of the work, and returns the number of its operations */
function ratePerSecond(work: () => number): number {
  const began = performance.now()
  let done = 0
  while (performance.now() - began < CALIBRATION_MS) done += work()
  return done / ((performance.now() - began) / 1_000)
}

/** Prints a failure. The program continues, and ends with 1. */
export function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

function versions(benchmark: string): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const libraries = [...LIBRARIES, ...(LIBRARIES_OF[benchmark] ?? [])]
  const installed = libraries.map((name) => [name, versionIn(join(ROOT, 'node_modules'), name) ?? 'unknown'] as const)
  const peers = WITH_PEERS.has(benchmark) ? lockedPeers() : {}
  // The engine and a compared library may have different versions of the same dependency.
  const own = installed.map(([name, found]) => [name in peers ? `${name} of the engine` : name, found] as const)
  return { alcove: `${version}${commit()}`, ...peers, ...Object.fromEntries(own) }
}

/** The commit of the measured code, if git knows it. A `+` marks uncommitted changes. */
function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    const changes = git('status', '--porcelain', '--', 'src', 'adapters', 'benchmarks/*.ts', 'benchmarks/*.mjs')
    return ` (${git('rev-parse', '--short', 'HEAD')}${changes === '' ? '' : '+'})`
  } catch {
    return ''
  }
}
