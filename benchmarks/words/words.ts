/**
 * The time from upload until a document is found by its words, while the model has just started to embed. Also the time
 * of a search by words and meaning beside a search by meaning alone, for one caller and for 64. Each step has a process
 * of its own.
 *
 * With `--filled FOLDER` the filled data folders stay in FOLDER, and a later run searches them: to fill one with a
 * million chunks takes half an hour. With `--fill` nothing is measured.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mediansOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { inFolder, stepRunner } from '../harness/step-process.js'
import type { FilledWithChunks, WordSteps } from './words-step.js'

const isQuick = process.argv.includes('--quick')
const isFillOnly = process.argv.includes('--fill')
const MEGABYTES = isQuick ? [0.02] : [1, 10, 100]
const folderAt = process.argv.indexOf('--filled') + 1
const filledFolder = folderAt === 0 ? undefined : process.argv[folderAt]
const CHUNKS = isQuick ? [50] : process.argv.includes('--small') ? [100_000] : [100_000, 1_000_000]

type Row = Readonly<Record<string, unknown>>

const inProcess = stepRunner<WordSteps>('words/words-step.ts')
const [findable, searches]: [Row[], Row[]] = [[], []]
for (const megabytes of isFillOnly ? [] : MEGABYTES) {
  await inFolder((dataDir) => {
    findable.push({ megabytes, ...inProcess('timeToFindable', { dataDir, megabytes }) })
  })
}
console.table(findable.map(mediansOf))
for (const about of CHUNKS) {
  const measure = (dataDir: string): void => {
    const filled = fill(dataDir, about)
    if (isFillOnly) return
    searches.push({
      about,
      ...inProcess('searchByModes', { dataDir, contextId: filled.contextId, isQuick }),
      ...filled,
    })
  }
  if (filledFolder === undefined) await inFolder(measure)
  else measure(join(filledFolder, String(about)))
}
console.table(searches.map(mediansOf))
if (!isQuick && !isFillOnly) writeReport('words', { 'from upload to findable': findable, 'searches by mode': searches })

function fill(dataDir: string, chunks: number): FilledWithChunks {
  const record = `${dataDir}.json`
  if (existsSync(record)) return JSON.parse(readFileSync(record, 'utf8')) as FilledWithChunks
  mkdirSync(dataDir, { recursive: true })
  const filled = inProcess('fillWithChunks', { dataDir, chunks })
  if (filledFolder !== undefined) writeFileSync(record, JSON.stringify(filled))
  return filled
}
