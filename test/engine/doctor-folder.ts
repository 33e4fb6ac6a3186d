import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { type LocalEngineOptions, openLocalEngine } from '../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryTextExtractor } from '../../adapters/memory/index.js'
import { SqliteLexicalIndex } from '../../adapters/words/index.js'
import { wordCollectionOf } from '../../src/documents/collections.js'
import type { Engine, Problem, VerifyReport } from '../../src/index.js'
import { NEW_CONTEXT, uploadText } from './memory-engine.js'

export const LEAVE = 'Parental leave takes eighteen weeks. '
/** Many chunks in a context of small ones. */
export const LONG: string = Array.from({ length: 60 }, (_, at) => `Shelf ${at} holds jar number ${at * 7}. `).join('')
export const COLLECTION = 'context-1-memory-1'
export const WORDS: string = wordCollectionOf(1)

/** A folder with some documents, as an engine has left it. */
export interface DoctorFolder {
  readonly dataDir: string
  /** Of a document with many chunks, id 1, and of one with one chunk, id 2; both in context 1. */
  readonly uuids: readonly [string, string]
}

/** SQLite, LanceDB and files are real; words instead of a model, and no process that reads, make documents quick. */
export async function open(dataDir: string, options: Partial<LocalEngineOptions> = {}): Promise<Engine> {
  const quick = { embeddingModels: [new MemoryEmbeddingModel()], textExtractor: new MemoryTextExtractor() }
  return await openLocalEngine({ dataDir, ...quick, ...options })
}

/** Documents come, go and fail; what is left must be without a fault. */
export async function fill(dataDir: string): Promise<DoctorFolder> {
  const engine = await open(dataDir)
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create({
    ...NEW_CONTEXT,
    settings: { chunkSizeTokens: 16, embeddingModel: 'memory' },
  })
  const uuids = [await uploadText(session, id, 'shelves.txt', LONG), await uploadText(session, id, 'leave.txt', LEAVE)]
  await session.documents.delete(await uploadText(session, id, 'gone.txt', 'This one goes.'))
  const blank = await session.documents.upload(id, { fileName: 'blank.txt', content: Buffer.from(' \n ') })
  await session.documents.whenProcessed(blank).catch(() => undefined)
  await session.documents.retry(blank)
  await session.documents.whenProcessed(blank).catch(() => undefined)
  await session.documents.delete(blank)
  const other = await session.contexts.create({ ...NEW_CONTEXT, name: 'Other', settings: { embeddingModel: 'memory' } })
  await uploadText(session, other.id, 'leave.txt', LEAVE)
  const brief = await session.contexts.create({ ...NEW_CONTEXT, settings: { embeddingModel: 'memory' } })
  await uploadText(session, brief.id, 'leave.txt', LEAVE)
  await session.contexts.delete(brief.id)
  await engine.whenCleared()
  await engine.close()
  // What is still in the log would change the file when it is next opened.
  await sql(dataDir, async (database) => {
    await database.raw('pragma wal_checkpoint(truncate)')
  })
  return { dataDir, uuids: uuids as [string, string] }
}

/** What a verification says of a folder that nobody works on. */
export async function examine(dataDir: string, options: Partial<LocalEngineOptions> = {}): Promise<VerifyReport> {
  return await withEngine(
    dataDir,
    { isWorking: false, ...options },
    async (engine) => await engine.administration.verify(),
  )
}

export async function repair(dataDir: string, options: Partial<LocalEngineOptions> = {}): Promise<VerifyReport> {
  const unswept = { isSweeping: false, ...options }
  return await withEngine(dataDir, unswept, async (engine) => await engine.administration.verify({ repair: true }))
}

export async function withEngine<T>(
  dataDir: string,
  options: Partial<LocalEngineOptions>,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await open(dataDir, options)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** The content of the first result of a search in the first context, by meaning unless it is told otherwise. */
export async function find(
  dataDir: string,
  prompt: string,
  { mode = 'semantic', ...options }: Partial<LocalEngineOptions> & { readonly mode?: 'semantic' | 'keyword' } = {},
): Promise<string | undefined> {
  return await withEngine(dataDir, options, async (engine) =>
    mode === 'keyword' ? await firstByWords(engine, prompt) : await firstByMeaning(engine, prompt),
  )
}

async function firstByMeaning(engine: Engine, prompt: string): Promise<string | undefined> {
  return (await engine.as(engine.owner).search(1, prompt, { mode: 'semantic' }))[0]?.content
}

/** Where words tell nothing, such a search is one by meaning: what that finds does not count. */
export async function firstByWords(engine: Engine, prompt: string): Promise<string | undefined> {
  const results = await engine.as(engine.owner).search(1, prompt, { mode: 'keyword' })
  return results.find(({ source }) => source.foundBy.includes('words'))?.content
}

/** Works on the tables of a folder behind the engine's back. */
export async function sql(dataDir: string, work: (database: Knex) => Promise<unknown>): Promise<void> {
  const connection = { filename: join(dataDir, 'alcove.sqlite') }
  const database = knex({ client: 'sqlite3', connection, useNullAsDefault: true })
  try {
    await work(database)
  } finally {
    await database.destroy()
  }
}

/** Works on the vectors of a folder behind the engine's back. */
export async function vectors(dataDir: string, work: (index: LanceDbVectorIndex) => Promise<unknown>): Promise<void> {
  const index = new LanceDbVectorIndex(join(dataDir, 'vectors'))
  try {
    await work(index)
  } finally {
    await index.close()
  }
}

/** Works on the words of a folder behind the engine's back. */
export async function words(dataDir: string, work: (index: SqliteLexicalIndex) => Promise<unknown>): Promise<void> {
  const index = new SqliteLexicalIndex(join(dataDir, 'words'))
  try {
    await work(index)
  } finally {
    await index.close()
  }
}

export function fileOf(dataDir: string, uuid: string): string {
  return join(dataDir, 'files', uuid.slice(0, 2), uuid)
}

/** What is told of each problem, in brief. */
export function told(report: VerifyReport): (Problem['subject'] & { code: string })[] {
  return report.problems.map(({ code, subject }) => ({ code, ...subject }))
}

export function codes(report: VerifyReport): string[] {
  return report.problems.map(({ code }) => code)
}
