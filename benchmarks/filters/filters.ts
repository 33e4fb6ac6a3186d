/**
 * How much slower is a search with a filter by metadata, and does it find the same? Each document has ten windows. The
 * filter selects 0.01% to 100% of the documents, which are spread over the context. Three steps are measured, one caller
 * at a time: the storage finds the documents, the vector index and the word index search them. The vector index is
 * compared with an exact scan, the word index with its own answer without a filter.
 *
 * Numbers are the sizes of a run: `tsx benchmarks/filters/filters.ts 1000000`. The results of one size are not kept.
 * With `--filled FOLDER` the filled indexes stay in FOLDER, and a later run searches them. With `--fill` nothing is
 * measured.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeReport } from '../harness/report.js'
import { inFolder, stepRunner } from '../harness/step-process.js'
import type { FilterFigures, FilterSteps } from './filters-step.js'

const isQuick = process.argv.includes('--quick')
const isFillOnly = process.argv.includes('--fill')
const given = process.argv.filter((argument) => /^\d+$/.test(argument)).map(Number)
const SIZES = given.length > 0 ? given : isQuick ? [1_000] : [1_000, 100_000]
const folderAt = process.argv.indexOf('--filled') + 1
const filledFolder = folderAt === 0 ? undefined : process.argv[folderAt]

type Row = Readonly<Record<string, unknown>>

const inProcess = stepRunner<FilterSteps>('filters/filters-step.ts')
const results: Record<string, readonly Row[]> = {}
const worst: Row[] = []
for (const windows of SIZES) {
  const measure = (dataDir: string): void => {
    fill(dataDir, windows)
    if (isFillOnly) return
    const rows = inProcess('searchFiltered', { dataDir, windows, isQuick })
    results[`${windows.toLocaleString('en')} windows`] = rows.map((row) => ({ ...row }))
    worst.push({ windows, ...worstOf(rows) })
    console.log(`${windows} windows`)
    console.table(rows)
  }
  if (filledFolder === undefined) await inFolder(measure)
  else measure(join(filledFolder, String(windows)))
}
if (!isFillOnly) console.table(worst)
if (!isQuick && given.length !== 1 && !isFillOnly) writeReport('filters', { 'the worst filter': worst, ...results })

/** The worst figures of all filters. Ratios are times beside a search without a filter. */
function worstOf(rows: readonly FilterFigures[]): Row {
  const highest = (figure: (row: FilterFigures) => number): number => Math.max(...rows.map(figure))
  const lowest = (figure: (row: FilterFigures) => number): number => Math.min(...rows.map(figure))
  return {
    vectorsRatio: highest(({ vectorsRatio }) => vectorsRatio),
    vectorsRecall: lowest(({ recall }) => recall),
    wordsRatio: highest(({ wordsRatio }) => wordsRatio),
    wordsRecall: lowest(({ wordsRecall }) => wordsRecall),
    mostFindMs: highest(({ findMs }) => findMs),
  }
}

function fill(dataDir: string, windows: number): void {
  const record = `${dataDir}.json`
  if (existsSync(record)) return
  mkdirSync(dataDir, { recursive: true })
  const filled = inProcess('fillIndexes', { dataDir, windows, isQuick })
  if (filledFolder !== undefined) writeFileSync(record, JSON.stringify(filled))
}
