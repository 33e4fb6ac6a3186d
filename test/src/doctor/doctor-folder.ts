import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { type LocalEngineOptions, openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryEmbeddingModel, MemoryTextExtractor } from '../../../adapters/memory/index.js'
import { SqliteLexicalIndex } from '../../../adapters/words/index.js'
import { wordCollectionOf } from '../../../src/documents/collections.js'
import type { Engine, Problem, VerifyReport } from '../../../src/index.js'
import { NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

export const LEAVE = 'Parental leave takes eighteen weeks. '
/** Many chunks in a context of small ones. */
export const LONG: string = Array.from({ length: 60 }, (_, at) => `Shelf ${at} holds jar number ${at * 7}. `).join('')
export const COLLECTION = 'context-1-memory-1'
export const WORDS: string = wordCollectionOf({ id: 1, generation: 0 })

/** A folder with some documents that an engine has closed. */
export interface DoctorFolder {
  readonly dataDir: string
  /** The UUIDs of a document with many chunks, id 1, and of one with one chunk, id 2. Both are in context 1. */
  readonly uuids: readonly [string, string]
}

/**
 * SQLite, LanceDB and files are real. Documents are quick because words replace the model, and no process reads
 * formats.
 */
export async function open(dataDir: string, options: Partial<LocalEngineOptions> = {}): Promise<Engine> {
  const quick = { embeddingModels: [new MemoryEmbeddingModel()], textExtractor: new MemoryTextExtractor() }
  return await openLocalEngine({ dataDir, ...quick, ...options })
}

/** Uploads, deletes and fails documents; the folder must be healthy afterwards. */
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
  // The next open would write the content of the log to the file.
  await sql(dataDir, async (database) => {
    await database.raw('pragma wal_checkpoint(truncate)')
  })
  return { dataDir, uuids: uuids as [string, string] }
}

/** The report of a verification of a folder that no other engine uses. */
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

/** The content of the first result of a search in the first context. The default mode is by meaning. */
export async function find(
  dataDir: string,
  prompt: string,
  { mode = 'semantic', ...options }: Partial<LocalEngineOptions> & { readonly mode?: 'semantic' | 'keyword' } = {},
): Promise<string | undefined> {
  return await withEngine(dataDir, options, async (engine) =>
    mode === 'keyword' ? await firstByWords(engine, prompt) : await firstByMeaning(engine, prompt),
  )
}

/** As {@link find}, for several prompts by meaning and by words. One engine answers all: to open it takes longest. */
export async function findAll(
  dataDir: string,
  { byMeaning, byWords }: { readonly byMeaning: readonly string[]; readonly byWords: readonly string[] },
): Promise<{ readonly byMeaning: (string | undefined)[]; readonly byWords: (string | undefined)[] }> {
  return await withEngine(dataDir, {}, async (engine) => ({
    byMeaning: await Promise.all(byMeaning.map(async (prompt) => await firstByMeaning(engine, prompt))),
    byWords: await Promise.all(byWords.map(async (prompt) => await firstByWords(engine, prompt))),
  }))
}

async function firstByMeaning(engine: Engine, prompt: string): Promise<string | undefined> {
  return (await engine.as(engine.owner).search(1, prompt, { mode: 'semantic' }))[0]?.content
}

/** Keyword searches without telling words fall back to meaning; this function ignores those results. */
export async function firstByWords(engine: Engine, prompt: string): Promise<string | undefined> {
  const results = await engine.as(engine.owner).search(1, prompt, { mode: 'keyword' })
  return results.find(({ source }) => source.foundBy.includes('words'))?.content
}

/** Changes the tables of a folder while no engine uses it. */
export async function sql(dataDir: string, work: (database: Knex) => Promise<unknown>): Promise<void> {
  const connection = { filename: join(dataDir, 'alcove.sqlite') }
  const database = knex({ client: 'sqlite3', connection, useNullAsDefault: true })
  try {
    await work(database)
  } finally {
    await database.destroy()
  }
}

/** Changes the vectors of a folder while no engine uses it. */
export async function vectors(dataDir: string, work: (index: LanceDbVectorIndex) => Promise<unknown>): Promise<void> {
  const index = new LanceDbVectorIndex(join(dataDir, 'vectors'))
  try {
    await work(index)
  } finally {
    await index.close()
  }
}

/** Changes the words of a folder while no engine uses it. */
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

/** The code and the subject of each reported problem. */
export function told(report: VerifyReport): (Problem['subject'] & { code: string })[] {
  return report.problems.map(({ code, subject }) => ({ code, ...subject }))
}

export function codes(report: VerifyReport): string[] {
  return report.problems.map(({ code }) => code)
}
