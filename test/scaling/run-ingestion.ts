import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pLimit from 'p-limit'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import type { Document, Engine } from '../../dist/src/index.js'
import { examineFolder, Kills } from '../kills.js'
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
  /**
   * Kills of all processes. Until they are made, further documents are stored, and older ones are deleted. Default: the
   * run ends with the documents.
   */
  readonly kills?: number | undefined
  readonly seed: number
  readonly progress?: (line: string) => void
}

export interface IngestionReport {
  readonly seed: number
  readonly seconds: number
  /** Documents that were stored, deleted ones included. */
  readonly documents: number
  readonly documentsPerSecond: number
  readonly processesKilled: number
  /** Kills after which the doctor looked at the data. The end of the run is none. */
  readonly examinedKills: number
  readonly doctorSeconds: number
  /** Documents that each process completed and reported before it was killed. */
  readonly completedByProcess: readonly number[]
  /** Errors; must be empty. */
  readonly problems: readonly string[]
}

const CONTEXTS = 8
const UPLOADS_AT_ONCE = 8
const WORDS_PER_DOCUMENT = 120
const POLL_MS = 1_000

/**
 * Several processes ingest documents that another process stores. Checks that each document was ingested once. The
 * doctor looks at the data after each kill.
 */
export async function runIngestion(options: IngestionOptions): Promise<IngestionReport> {
  const { databaseUrl, killEveryMs, seed, progress } = options
  const folder = await temporaryFolder()
  const random = seededRandom(seed)
  const place = () => ({ dataDir: folder.path, databaseUrl, embeddingModels: [new MemoryEmbeddingModel()] })
  const engine = await openLocalEngine({ ...place(), roles: [] })
  const kills = new Kills({ most: options.kills, examine: async () => await examineFolder(place()) })
  const processes = Array.from(
    { length: options.processes },
    () =>
      new MortalProcess({
        script: join(import.meta.dirname, 'ingestion-child.ts'),
        args: [databaseUrl, folder.path],
        killEveryMs,
        mostKills: options.mostKills,
        kills,
        random,
      }),
  )
  try {
    for (const each of processes) each.start()
    await Promise.all(processes.map((each) => each.ready))
    const began = performance.now()
    let documents = await upload(engine, 0, options.documents)
    const isOver = (): boolean => kills.areMade || processes.some(({ deaths }) => deaths.length > 0)
    while (options.kills !== undefined && !isOver()) {
      progress?.(`${kills.made} kills are made, ${documents} documents are uploaded`)
      documents = await replaceSome(engine, documents, options.documents)
    }
    progress?.(`${documents} documents are uploaded`)
    // The older ones are deleted.
    await untilCompleted(engine, Math.min(documents, 2 * options.documents), progress)
    const seconds = (performance.now() - began) / 1_000
    await Promise.all(processes.map((each) => each.stop()))
    const last = await engine.administration.verify()
    return {
      seed,
      seconds: Math.round(seconds),
      documents,
      documentsPerSecond: Math.round(documents / seconds),
      processesKilled: processes.reduce((sum, { killed }) => sum + killed, 0),
      examinedKills: kills.made,
      doctorSeconds: kills.examinedSeconds,
      completedByProcess: processes.map(({ done }) => done),
      problems: [
        ...processes.flatMap(({ deaths }) => deaths),
        ...(await failures(engine)),
        ...kills.problems,
        ...last.problems.map(({ message }) => message),
      ].slice(0, 20),
    }
  } finally {
    await Promise.all(processes.map((each) => each.stop()))
    await engine.close()
    await folder.remove()
  }
}

/**
 * Stores texts that are all different, distributed over some new contexts.
 * @returns the number of the next document
 */
async function upload(engine: Engine, first: number, count: number): Promise<number> {
  const session = engine.as(engine.owner)
  const contextIds: number[] = []
  for (let number = 0; number < CONTEXTS; number += 1) {
    const settings = { chunkSizeTokens: 40, overlap: 0, maxSizeBytes: 1e9 }
    const context = { name: `Context ${number}`, description: '', caption: '', toolsJson: '[]', settings }
    contextIds.push((await session.contexts.create({ ...context, starterPrompts: [] })).id)
  }
  const atOnce = pLimit(UPLOADS_AT_ONCE)
  const numbers = Array.from({ length: count }, (_, number) => first + number)
  await Promise.all(
    numbers.map((number) =>
      atOnce(async () => {
        const words = Array.from({ length: WORDS_PER_DOCUMENT }, (_, word) => `w${number}x${word}`)
        const content = Buffer.from(`${words.join(' ')}.`)
        await session.documents.upload(contextIds[number % CONTEXTS] ?? 0, { fileName: `${number}.txt`, content })
      }),
    ),
  )
  return first + count
}

/**
 * Once half of the documents are processed, deletes the contexts before the newest ones, and stores as many documents
 * again. Some of the deleted documents still belong to a killed process.
 */
async function replaceSome(engine: Engine, first: number, count: number): Promise<number> {
  const { contexts } = engine.as(engine.owner)
  while ((await listAll(engine)).filter(isEnded).length < count / 2) await setTimeout(POLL_MS)
  const older = (await contexts.list()).map(({ id }) => id).sort((one, other) => other - one)
  for (const id of older.slice(CONTEXTS)) await contexts.delete(id)
  return await upload(engine, first, count)
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
    const ended = all.filter(isEnded).length
    if (ended === documents) return
    if (poll % 5 === 0) progress?.(`${ended} of ${all.length} documents are processed`)
    await setTimeout(POLL_MS)
  }
}

function isEnded({ completed, error }: Document): boolean {
  return (completed ?? error) !== null
}

async function failures(engine: Engine): Promise<string[]> {
  return (await listAll(engine)).flatMap(({ displayName, error }) =>
    error === null ? [] : [`${displayName}: ${error}`],
  )
}
