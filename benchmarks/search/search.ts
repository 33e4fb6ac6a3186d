/**
 * P5: search at the index port, for collections of 1,000 to 1,000,000 windows from two sets of synthetic vectors.
 * Measures the time of one caller and of 64, memory, and recall@10 beside the exact answer, also after deletions and
 * with filters. Plain LanceDB scans the same table. For 100,000 windows its kinds of index run with their defaults.
 * Then come the index of pgvector, and searches through the engine. Each step has a process of its own.
 */
import { mediansOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { inFolder, stepRunner } from '../harness/step-process.js'
import { extentOf } from './search-calls.js'
import type { Steps } from './search-step.js'
import { PGVECTOR_WINDOWS } from './search-targets.js'

/** Spreads of vectors around the middle of their cluster. */
const SETS = { easy: 0.5, hard: 1.2 }
const isQuick = process.argv.includes('--quick')
const SIZES = isQuick ? [1_500] : [1_000, 10_000, 100_000, 1_000_000]
const CHOSEN = Object.entries(SETS).slice(isQuick ? 1 : 0)
const INDEX_FROM_ROWS = isQuick ? 1_000 : 10_000
const KINDS_SIZE = isQuick ? 1_500 : 100_000
const ENGINE_SIZES = isQuick ? [200] : SIZES

const PGVECTOR = isQuick
  ? { windows: 100, indexFromRows: 50, rounds: 1, queries: 5 }
  : { windows: PGVECTOR_WINDOWS, rounds: 5, queries: 100 }

type Row = Readonly<Record<string, unknown>>

const inProcess = stepRunner<Steps>('search/search-step.ts')

const [rows, filters, kinds, pgVector, engine]: [Row[], Row[], Row[], Row[], Row[]] = [[], [], [], [], []]
for (const [set, spread] of CHOSEN) {
  for (const windows of SIZES) await inFolder((folder) => searchCollection(set, { folder, spread, windows }))
}
for (const [set, spread] of CHOSEN) {
  const { windows } = PGVECTOR
  pgVector.push(...show([{ set, windows, ...inProcess('searchPgVector', { spread, ...PGVECTOR }) }]))
}
for (const windows of ENGINE_SIZES) await inFolder((dataDir) => searchThroughEngine(dataDir, windows))
if (!isQuick) {
  writeReport('search', {
    'at the index port': rows,
    filters,
    'kinds of index': kinds,
    'the index of pgvector': pgVector,
    'through the engine': engine,
  })
}

function searchCollection(
  set: string,
  place: { readonly folder: string; readonly spread: number; readonly windows: number },
): void {
  const { windows } = place
  const collection = { ...place, indexFromRows: INDEX_FROM_ROWS }
  const extent = extentOf(windows, isQuick)
  const named = (row: Row): Row => ({ vectors: 'synthetic', set, windows, ...row })
  const filled = inProcess('fillCollection', collection)
  // The kinds are measured before any document is deleted.
  const ofKinds = windows === KINDS_SIZE ? inProcess('searchKinds', { collection, extent }) : []
  kinds.push(...show(ofKinds.map((row) => named({ ...row }))))
  const measured = inProcess('searchPort', { collection, extent })
  rows.push(...show([named({ ...filled, ...measured.figures })]))
  filters.push(...show(measured.filters.map((row) => named({ ...row }))))
}

function searchThroughEngine(dataDir: string, size: number): void {
  const { windows, contextId } = inProcess('fillEngine', { dataDir, windows: size })
  const figures = inProcess('searchEngine', { dataDir, contextId, extent: extentOf(size, isQuick) })
  engine.push(...show([{ vectors: 'of a stub', about: size, windows, ...figures }]))
}

/** Rows for the terminal. They have only the median of each spread. */
function show(shown: readonly Row[]): readonly Row[] {
  if (shown.length > 0) console.table(shown.map(mediansOf))
  return shown
}
