/**
 * One long document in a process of its own: `memory-child.ts WAY KIND SIZE`, the way `alcove` or `langchain`, the kind
 * `text` (megabytes) or `pdf` (pages). Tells its parent how its memory and its event loop were.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import { line, pdfOf } from '../test/fixtures/pdf-builder.js'
import { LoopStops } from '../test/ingestion/loop-stops.js'
import { QuickModel } from '../test/ingestion/quick-model.js'
import { peer } from './peers.js'
import { longText, sampleTexts } from './sample-texts.js'

/** How an ingestion was for its process. */
export interface MemoryRun {
  readonly seconds: number
  /** Peak of the resident memory in the first half of the time, in MB, and in the second: flat if they are alike. */
  readonly firstHalfMb: number
  readonly secondHalfMb: number
  /** Longest time in ms that the main thread computed between two turns of its event loop. */
  readonly longestWorkMs: number
  readonly pieces: number
}

interface Splitters {
  readonly RecursiveCharacterTextSplitter: new (options: {
    readonly chunkSize: number
    readonly chunkOverlap: number
  }) => {
    splitText(text: string): Promise<string[]>
  }
}

const DIMENSIONS = 384
const MAX_SIZE_BYTES = 1_000_000_000
const LINES_PER_PAGE = 48
const [way, kind, size] = [process.argv[2], process.argv[3], Number(process.argv[4])]
const folder = await mkdtemp(join(tmpdir(), 'alcove-memory-'))
const path = join(folder, `document.${kind === 'pdf' ? 'pdf' : 'txt'}`)
await writeFile(path, kind === 'pdf' ? pdf() : longText(size * 1e6))
const model = await QuickModel.open({ dimensions: DIMENSIONS })
// What is measured is the work.
await model.tokenizer()
const ingest = way === 'alcove' ? await alcove() : await langchain()
if (ingest === undefined) send(undefined)
else {
  globalThis.gc?.()
  const samples: number[] = []
  const sampling = setInterval(() => samples.push(process.memoryUsage.rss() / 1e6), 50)
  const stops = new LoopStops()
  const began = performance.now()
  const pieces = await ingest()
  const seconds = Math.round((performance.now() - began) / 100) / 10
  stops.end()
  clearInterval(sampling)
  samples.push(process.memoryUsage.rss() / 1e6)
  const half = Math.ceil(samples.length / 2)
  const [firstHalfMb, secondHalfMb] = [samples.slice(0, half), samples.slice(half)].map((part) =>
    Math.round(Math.max(...part, 0)),
  ) as [number, number]
  send({ seconds, firstHalfMb, secondHalfMb, longestWorkMs: Math.round(stops.longestWorkMs), pieces })
}

async function alcove(): Promise<() => Promise<number>> {
  const engine = await openLocalEngine({ dataDir: join(folder, 'data'), embeddingModels: [model] })
  const session = engine.as(engine.owner)
  const settings = { maxSizeBytes: MAX_SIZE_BYTES }
  const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]', settings })
  return async () => {
    const uuid = await session.documents.upload(id, { fileName: path, content: createReadStream(path) })
    await session.documents.whenProcessed(uuid)
    const { receipt } = await session.documents.get(uuid)
    await engine.close()
    return receipt?.windows ?? 0
  }
}

/** As its documentation has it: the file is read, split, and the pieces are embedded into a store in memory. */
async function langchain(): Promise<(() => Promise<number>) | undefined> {
  const splitters = await peer<Splitters>('@langchain/textsplitters')
  if (splitters === undefined) return undefined
  return async () => {
    const splitter = new splitters.RecursiveCharacterTextSplitter({ chunkSize: 1_000, chunkOverlap: 200 })
    const pieces = await splitter.splitText(await readFile(path, 'utf8'))
    const store: { readonly content: string; readonly embedding: readonly number[] }[] = []
    for (let at = 0; at < pieces.length; at += 25) {
      const batch = pieces.slice(at, at + 25)
      const vectors = await model.embed(batch, { kind: 'passage' })
      for (const [row, content] of batch.entries()) {
        store.push({ content, embedding: [...vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)] })
      }
    }
    return store.length
  }
}

function pdf(): Buffer {
  const sentences =
    sampleTexts()
      .join(' ')
      .replaceAll(/[^\x20-\x7e]+/g, ' ')
      .match(/.{1,80}/g) ?? []
  const pages = Array.from({ length: size }, (_, page) => {
    const lines = Array.from({ length: LINES_PER_PAGE }, (_unused, at) => {
      const sentence = sentences[(page * LINES_PER_PAGE + at) % sentences.length] ?? ''
      return line(40, 750 - at * 14, at === 0 ? `${page} ${sentence}` : sentence, 'F1', 10)
    })
    return { content: lines.join('') }
  })
  return pdfOf({ pages })
}

function send(run: MemoryRun | undefined): void {
  process.send?.({ run })
  void rm(folder, { recursive: true }).then(() => process.disconnect())
}
