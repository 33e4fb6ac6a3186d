/**
 * The time of a re-index beside a fresh ingestion, the windows that it uses again, and the searches meanwhile. Each step
 * has a process of its own.
 */
import { mediansOf } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { inFolder, stepRunner } from '../harness/step-process.js'
import type { ReindexSteps } from './reindex-step.js'

const isQuick = process.argv.includes('--quick')

type Row = Readonly<Record<string, unknown>>

const rounds = isQuick ? 1 : 5
const sizes = isQuick
  ? ({ stub: [2, 4_000], default: [2, 2_000] } as const)
  : ({ stub: [20, 50_000], default: [8, 25_000] } as const)
const [searched, searchedBytes] = isQuick ? [2, 3_000] : [24, 25_000]

const inProcess = stepRunner<ReindexSteps>('reindex/reindex-step.ts')
const beside: Row[] = []
for (const model of ['stub', 'default'] as const) {
  const [documents, bytes] = sizes[model]
  await inFolder((dataDir) => {
    beside.push(inProcess('besideIngestion', { dataDir, model, documents, bytes, rounds }))
  })
}
console.table(beside.map(mediansOf))
let reused: readonly Row[] = []
await inFolder((dataDir) => {
  const [documents, bytes] = sizes.default
  reused = inProcess('reuse', { dataDir, documents, bytes })
})
console.table(reused)
let searches: Row = {}
await inFolder((dataDir) => {
  searches = inProcess('searchMeanwhile', { dataDir, documents: searched, bytes: searchedBytes, rounds })
})
console.table([mediansOf(searches)])
if (!isQuick)
  writeReport('reindex', {
    'beside a fresh ingestion': beside,
    'windows used again': reused,
    'searches meanwhile': searches,
  })
