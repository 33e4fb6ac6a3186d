import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pLimit from 'p-limit'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import type { Engine } from '../../dist/src/index.js'
import { MortalProcess } from '../mortal-process.js'
import { seededRandom } from '../seeded-random.js'
import { temporaryFolder } from '../temporary-folder.js'

export interface IngestionOptions {
  /** An empty PostgreSQL database. */
  readonly databaseUrl: string
  readonly processes: number
  readonly documents: number
  /** Shortest and longest life of a process; without it nothing kills one. */
  readonly killEveryMs?: readonly [number, number]
  /** Kills of each process, after which it lives until the end. Default: no limit. */
  readonly mostKills?: number
  readonly seed: number
  readonly progress?: (line: string) => void
}

export interface IngestionReport {
  readonly seed: number
  readonly seconds: number
  readonly documents: number
  readonly documentsPerSecond: number
  readonly processesKilled: number
  /** Documents that each process completed and reported before it was killed. */
  readonly completedByProcess: readonly number[]
  /** Errors; must be empty. */
  readonly problems: readonly string[]
}

const CONTEXTS = 8
const UPLOADS_AT_ONCE = 8
const WORDS_PER_DOCUMENT = 120

/** Several processes ingest documents that another process stores. Checks that each document was ingested once. */
export async function runIngestion(options: IngestionOptions): Promise<IngestionReport> {
  const { databaseUrl, documents, killEveryMs, seed } = options
  const folder = await temporaryFolder()
  const random = seededRandom(seed)
  const engine = await openLocalEngine({
    dataDir: folder.path,
    databaseUrl,
    embeddingModels: [new MemoryEmbeddingModel()],
    roles: [],
  })
  const processes = Array.from(
    { length: options.processes },
    () =>
      new MortalProcess({
        script: join(import.meta.dirname, 'ingestion-child.ts'),
        args: [databaseUrl, folder.path],
        killEveryMs,
        mostKills: options.mostKills,
        random,
      }),
  )
  try {
    for (const each of processes) each.start()
    await Promise.all(processes.map((each) => each.ready))
    const began = performance.now()
    await upload(engine, documents)
    options.progress?.(`${documents} documents are uploaded`)
    await untilCompleted(engine, documents, options.progress)
    const seconds = (performance.now() - began) / 1_000
    await Promise.all(processes.map((each) => each.stop()))
    const { problems } = await engine.administration.verify()
    return {
      seed,
      seconds: Math.round(seconds),
      documents,
      documentsPerSecond: Math.round(documents / seconds),
      processesKilled: processes.reduce((sum, { killed }) => sum + killed, 0),
      completedByProcess: processes.map(({ done }) => done),
      problems: [
        ...processes.flatMap(({ deaths }) => deaths),
        ...(await failures(engine)),
        ...problems.map(({ message }) => message),
      ].slice(0, 20),
    }
  } finally {
    await Promise.all(processes.map((each) => each.stop()))
    await engine.close()
    await folder.remove()
  }
}

/** Texts that are all different, distributed over some contexts. */
async function upload(engine: Engine, documents: number): Promise<void> {
  const session = engine.as(engine.owner)
  const contextIds: number[] = []
  for (let number = 0; number < CONTEXTS; number += 1) {
    const settings = { chunkSizeTokens: 40, overlap: 0, maxSizeBytes: 1e9 }
    const context = { name: `Context ${number}`, description: '', caption: '', toolsJson: '[]', settings }
    contextIds.push((await session.contexts.create({ ...context, starterPrompts: [] })).id)
  }
  const atOnce = pLimit(UPLOADS_AT_ONCE)
  const numbers = Array.from({ length: documents }, (_, number) => number)
  await Promise.all(
    numbers.map((number) =>
      atOnce(async () => {
        const words = Array.from({ length: WORDS_PER_DOCUMENT }, (_, word) => `w${number}x${word}`)
        const content = Buffer.from(`${words.join(' ')}.`)
        await session.documents.upload(contextIds[number % CONTEXTS] ?? 0, { fileName: `${number}.txt`, content })
      }),
    ),
  )
}

async function listAll(engine: Engine) {
  const session = engine.as(engine.owner)
  const contexts = await session.contexts.list()
  return (await Promise.all(contexts.map(({ id }) => session.documents.list(id)))).flat()
}

async function untilCompleted(
  engine: Engine,
  documents: number,
  progress: ((line: string) => void) | undefined,
): Promise<void> {
  for (let poll = 0; ; poll += 1) {
    const all = await listAll(engine)
    const ended = all.filter(({ completed, error }) => (completed ?? error) !== null).length
    if (ended === documents) return
    if (poll % 5 === 0) progress?.(`${ended} of ${all.length} documents are processed`)
    await setTimeout(1_000)
  }
}

async function failures(engine: Engine): Promise<string[]> {
  return (await listAll(engine)).flatMap(({ displayName, error }) =>
    error === null ? [] : [`${displayName}: ${error}`],
  )
}
