/**
 * Every public document, of all types and tags, through the engine in one run, with the real model. The figures are the
 * outcomes by type and tag, the time, the peak memory, and the longest stop of the event loop. With `--quick`, a few
 * documents.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gunzipSync } from 'node:zlib'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { DocumentWithReceipt, Session } from '../../dist/src/index.js'
import { writeReport } from '../harness/report.js'
import { sharedData } from '../harness/shared-data.js'
import { isExpected } from './expected-outcomes.js'

interface PublicDocument {
  readonly file: string
  readonly type: string
  readonly tag: string
  readonly bytes: number
}

interface Row {
  readonly type: string
  readonly tag: string
  files: number
  completed: number
  readonly refused: Record<string, number>
  pages: number
  characters: number
  windows: number
  warnings: number
}

/** Documents that are uploaded before those in progress are processed. */
const AHEAD = 16
const QUICK_MAX_BYTES = 60_000
const QUICK_EVERY = 100

const folder = sharedData()
if (folder === undefined) {
  console.log('left out: the documents are not here (they are in the folder data of the one that ALCOVE_SHARED names)')
} else {
  const isQuick = process.argv.includes('--quick')
  const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
    readonly files: readonly PublicDocument[]
  }
  const chosen = isQuick ? files.filter(({ bytes }, at) => bytes < QUICK_MAX_BYTES && at % QUICK_EVERY === 0) : files
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-documents-'))
  const engine = await openLocalEngine({ dataDir })
  try {
    const session = engine.as(engine.owner)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const began = performance.now()
    const { rows, unexpected } = await ingestAll(session, folder, chosen)
    const totals = {
      files: chosen.length,
      seconds: Math.round((performance.now() - began) / 1_000),
      peakMemoryMb: Math.round((process.resourceUsage().maxRSS * 1_024) / 1e6),
      longestStopMs: Math.round(delay.max / 1e6),
      unexpected,
    }
    console.table(rows.map(({ refused, ...row }) => ({ ...row, ...refused })))
    console.log(totals)
    if (!isQuick) writeReport('documents', { totals, rows })
    if (unexpected.length > 0) process.exitCode = 1
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function ingestAll(session: Session, root: string, documents: readonly PublicDocument[]) {
  const rows = new Map<string, Row>()
  const unexpected: string[] = []
  const contexts = new Map<string, number>()
  const underWay = new Set<Promise<void>>()
  for (const document of documents) {
    const { type, tag, file } = document
    const contextId = contexts.get(type) ?? (await newContext(session, type))
    contexts.set(type, contextId)
    const row = rows.get(`${type} ${tag}`) ?? newRow(type, tag)
    rows.set(`${type} ${tag}`, row)
    const ingesting = ingest(session, contextId, root, file).then((ended) => {
      row.files += 1
      if (typeof ended === 'string') row.refused[ended] = (row.refused[ended] ?? 0) + 1
      else count(row, ended)
      const outcome = typeof ended === 'string' ? ended : 'completed'
      if (!isExpected(file, tag, outcome)) unexpected.push(`${file} (${tag}): ${outcome}`)
      underWay.delete(ingesting)
    })
    underWay.add(ingesting)
    if (underWay.size >= AHEAD) await Promise.race(underWay)
  }
  await Promise.all(underWay)
  return {
    rows: [...rows.values()].sort((one, other) => (`${one.type} ${one.tag}` < `${other.type} ${other.tag}` ? -1 : 1)),
    unexpected,
  }
}

/** @returns the document with its receipt, or the code of the error */
async function ingest(session: Session, contextId: number, root: string, file: string) {
  const packed = await readFile(join(root, file))
  const isPacked = file.endsWith('.gz') && !file.startsWith('docs/other/')
  const content = isPacked ? gunzipSync(packed) : packed
  const fileName = isPacked ? basename(file, '.gz') : basename(file)
  try {
    const uuid = await session.documents.upload(contextId, { fileName, content })
    await session.documents.whenProcessed(uuid)
    return await session.documents.get(uuid)
  } catch (error) {
    return (error as { readonly code?: string }).code ?? String(error)
  }
}

async function newContext(session: Session, name: string): Promise<number> {
  const texts = { name, description: '', caption: '', toolsJson: '[]' }
  return (await session.contexts.create({ ...texts, settings: { maxSizeBytes: 1_000_000_000 } })).id
}

function newRow(type: string, tag: string): Row {
  return { type, tag, files: 0, completed: 0, refused: {}, pages: 0, characters: 0, windows: 0, warnings: 0 }
}

function count(row: Row, { receipt }: DocumentWithReceipt): void {
  row.completed += 1
  row.pages += receipt?.pages ?? 0
  row.characters += receipt?.characters ?? 0
  row.windows += receipt?.windows ?? 0
  row.warnings += receipt?.warnings.length ?? 0
}
