/**
 * A host that ingests one long document: `memory-child.ts WAY DOCUMENT FOLDER`, with its data in that folder. It
 * reports to its parent when it is ready, starts on a message, and reports the figures.
 */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { LoopStops } from '../../test/ingestion/loop-stops.js'
import { QuickModel } from '../../test/ingestion/quick-model.js'
import { peer } from '../harness/peers.js'
import { type MemoryPeaks, MemorySampling, SEES_OTHERS } from './memory-sampling.js'

/** The library that ingests a document. */
export type Way = 'alcove' | 'alcove with its model' | 'langchain'

/** The first message of a host. */
export interface Ready {
  readonly pid: number
  /** False if the library of the host is not installed. */
  readonly isThere: boolean
}

/** The figures of an ingestion in its host. */
export interface HostRun {
  readonly pieces: number
  readonly seconds: number
  /** Longest time in ms that the main thread computed between two turns of its event loop. */
  readonly longestWorkMs: number
  /** Longest time in ms between two turns. On a busy machine other processes had a part of it. */
  readonly longestStopMs: number
  /** Peaks that the host measures itself, on systems where its parent cannot. */
  readonly ownPeaks: MemoryPeaks | undefined
}

interface Ingestion {
  /** @returns the number of pieces */
  readonly ingest: () => Promise<number>
  readonly close?: () => Promise<void>
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
const [way, path, dataDir] = process.argv.slice(2) as [Way, string, string]
// The parent may exit before it sends the start message.
process.once('disconnect', () => process.exit())
const ingestion = way === 'langchain' ? await langchain() : await alcove()
process.once('message', () => {
  if (ingestion !== undefined) void measure(ingestion)
})
process.send?.({ pid: process.pid, isThere: ingestion !== undefined } satisfies Ready)

async function measure({ ingest, close }: Ingestion): Promise<void> {
  const sampling = SEES_OTHERS ? undefined : new MemorySampling(process.pid)
  const stops = new LoopStops()
  const began = performance.now()
  const pieces = await ingest()
  const seconds = Math.round((performance.now() - began) / 100) / 10
  stops.end()
  const [longestWorkMs, longestStopMs] = [Math.round(stops.longestWorkMs), Math.round(stops.longestMs)]
  process.send?.({ pieces, seconds, longestWorkMs, longestStopMs, ownPeaks: sampling?.end() } satisfies HostRun)
  await close?.()
  process.disconnect()
}

async function alcove(): Promise<Ingestion> {
  const stub = way === 'alcove' ? { embeddingModels: [await stubModel()] } : {}
  const engine = await openLocalEngine({ dataDir, ...stub })
  const session = engine.as(engine.owner)
  const settings = { maxSizeBytes: MAX_SIZE_BYTES }
  const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]', settings })
  const ingest = async (): Promise<number> => {
    const uuid = await session.documents.upload(id, { fileName: path, content: createReadStream(path) })
    await session.documents.whenProcessed(uuid)
    const { receipt } = await session.documents.get(uuid)
    if (receipt === null) throw new Error(`${path} was not ingested`)
    return receipt.windows
  }
  return { ingest, close: () => engine.close() }
}

/**
 * Follows the documentation of LangChain, except for the store: the program reads and splits the file, and an array
 * stores pieces and vectors.
 */
async function langchain(): Promise<Ingestion | undefined> {
  const splitters = await peer<Splitters>('@langchain/textsplitters')
  if (splitters === undefined) return undefined
  const model = await stubModel()
  const ingest = async (): Promise<number> => {
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
  return { ingest }
}

async function stubModel(): Promise<QuickModel> {
  const model = await QuickModel.open({ dimensions: DIMENSIONS })
  // Loads the tokenizer first: the stub must take no time.
  await model.tokenizer()
  return model
}
