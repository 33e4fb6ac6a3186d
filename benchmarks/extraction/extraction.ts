/**
 * The share of text that the engine extracts from real documents, and the outcome of each file. Every document of the
 * shared data runs through the public adapter, in one process. The plain use of other libraries runs beside it, with a
 * process for each file. Without the shared data, the benchmark reads the example documents of the project. With
 * `--quick` it reads every sixtieth file.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { WorkerTextExtractor } from '../../dist/adapters/text-extraction/index.js'
import { fail, writeReport } from '../harness/report.js'
import { sharedData } from '../harness/shared-data.js'
import { type Sample, Scores } from '../references/scores.js'
import { figureRows, missedFigures } from './extraction-figures.js'
import { type Outcome, type PlainOutcome, round } from './extraction-outcome.js'
import { groupRows } from './extraction-table.js'
import { PLAIN_LIBRARIES, readPlainly } from './plain-readings.js'

interface Listed {
  readonly file: string
  readonly type: string
  readonly tag: string
}

const isQuick = process.argv.includes('--quick')
const folder = sharedData()
const temporary = await mkdtemp(join(tmpdir(), 'alcove-extraction-'))
const scores = folder === undefined ? undefined : new Scores(folder)
const listed = await documents()
const chosen = listed.filter((_, index) => !isQuick || listed.length < 30 || index % 60 === 0)
const extractor = new WorkerTextExtractor()
const outcomes: Outcome[] = []
for (const document of chosen) outcomes.push(await outcomeOf(document))
await extractor.close()
await rm(temporary, { recursive: true })

const byTag = groupRows(outcomes)
const figures = figureRows(outcomes)
console.table(byTag)
console.table(figures)
if (!isQuick && folder !== undefined) {
  const missing = outcomes.filter((one) => one.scores.size > 0 && Math.min(...one.scores.values()) < 0.98)
  const lost = missing.map(({ file, tag, code, scores: found }) => ({ file, tag, code, ...Object.fromEntries(found) }))
  writeReport('extraction', { byTag, figures, below: lost })
}
// A smoke test has too few files for a mean.
for (const missed of isQuick ? [] : missedFigures(outcomes)) {
  fail(missed)
}

async function documents(): Promise<Listed[]> {
  if (folder !== undefined) {
    const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { files: Listed[] }
    return files.filter(({ type }) => type !== 'other')
  }
  console.log(
    'only the examples are read: the shared documents are not here (they are in the folder data of the one that ALCOVE_SHARED names)',
  )
  const names = await readdir(join(import.meta.dirname, '../../examples/documents'))
  return names
    .map((file) => ({ file, type: extname(file).slice(1), tag: 'example' }))
    .filter(({ type }) => PLAIN_LIBRARIES[type] !== undefined)
}

async function outcomeOf({ file, type, tag }: Listed): Promise<Outcome> {
  const packed = await readFile(join(folder ?? join(import.meta.dirname, '../../examples/documents'), file))
  const bytes = file.endsWith('.gz') ? gunzipSync(packed) : packed
  const path = join(temporary, basename(file, '.gz'))
  await writeFile(path, bytes)
  const began = performance.now()
  const { text, code } = await extract(basename(file, '.gz'), bytes)
  const ms = performance.now() - began
  const sample: Sample = { file, path, type, bytes }
  const measures = scores?.of(sample) ?? new Map<string, never>()
  const found = new Map([...measures].map(([measure, score]) => [measure, round(score({ text }))]))
  const plain = (PLAIN_LIBRARIES[type] ?? []).map((library): PlainOutcome => {
    const { reading, ...run } = readPlainly(library, path)
    const read = reading ?? { text: '' }
    const plainScores = new Map([...measures].map(([measure, score]) => [measure, round(score(read))]))
    return { ...run, isCompleted: reading !== undefined && hasText(read), scores: plainScores }
  })
  await rm(path)
  return { file, type, tag, code, ms, scores: found, plain }
}

async function extract(fileName: string, bytes: Buffer): Promise<{ text: string; code: string }> {
  let text = ''
  try {
    await extractor.identify(fileName, bytes.subarray(0, 4_096))
    const open = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    }
    for await (const piece of extractor.extract({ fileName, sizeBytes: bytes.length, open })) text += piece.text
    return { text, code: 'completed' }
  } catch (error) {
    return { text: '', code: (error as { readonly code?: string }).code ?? String(error) }
  }
}

function hasText({ text, rows }: { readonly text: string; readonly rows?: readonly unknown[] }): boolean {
  return text.trim() !== '' || (rows !== undefined && rows.length > 0)
}
