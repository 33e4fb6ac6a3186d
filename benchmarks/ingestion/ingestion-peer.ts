/**
 * From a text to searchable vectors with the defaults of AnythingLLM, in a process of its own. LangChain's splitter
 * makes pieces of 1,000 characters with an overlap of 20. The pipeline of transformers.js embeds batches of 25, and
 * LanceDB stores them. `ingestion.ts` sends the messages. The answer to a text says whether the libraries are
 * installed. Each `'run'` ingests the text and answers with the milliseconds.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { openPipeline } from '../embedding/embedding-contestants.js'
import { peer } from '../harness/peers.js'

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
  // The first run compiles code and allocates memory, so it is not measured.
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
