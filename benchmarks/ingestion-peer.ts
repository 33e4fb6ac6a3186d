/**
 * From a text to vectors that can be searched as AnythingLLM does it by default, in a process of its own: LangChain's
 * splitter, 1,000 characters of which 20 overlap, the pipeline of transformers.js in batches of 25, and LanceDB. Asked by
 * messages from `ingestion.ts`: a text readies it, which it answers with whether its libraries are installed; each `'run'`
 * takes the text in, which it answers with the milliseconds.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { openPipeline } from './embedding-contestants.js'
import { peer } from './peers.js'

interface LangChain {
  readonly RecursiveCharacterTextSplitter: new (options: object) => { splitText(text: string): Promise<string[]> }
}

const SPLITTER = { chunkSize: 1_000, chunkOverlap: 20 }

const embed = await openPipeline()
const langChain = await peer<LangChain>('@langchain/textsplitters')
let text = ''

process.on('message', (message: 'run' | { readonly text: string }) => {
  void (message === 'run' ? measure() : ready(message.text))
})

async function ready(given: string): Promise<void> {
  text = given
  const isInstalled = embed !== undefined && langChain !== undefined
  // The first run compiles and allocates.
  if (isInstalled) await takeIn(text.slice(0, 4_000))
  process.send?.({ isInstalled })
}

async function measure(): Promise<void> {
  const began = performance.now()
  await takeIn(text)
  process.send?.({ ms: performance.now() - began })
}

async function takeIn(source: string): Promise<void> {
  if (embed === undefined || langChain === undefined) return
  const pieces = await new langChain.RecursiveCharacterTextSplitter(SPLITTER).splitText(source)
  const vectors = await embed(pieces)
  const folder = await mkdtemp(join(tmpdir(), 'alcove-plain-'))
  const database = await connect(folder)
  const rows = pieces.map((piece, id) => ({ id, text: piece, vector: vectors[id] ?? [] }))
  const table = await database.createTable('pieces', rows)
  table.close()
  database.close()
  await rm(folder, { recursive: true })
}
