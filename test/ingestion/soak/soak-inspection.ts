import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { KnexStorage, openSqlite } from '../../../dist/adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../../dist/adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../../dist/adapters/words/index.js'
import { textOf } from './soak-documents.js'
import type { ListedDocument, SoakLedger } from './soak-ledger.js'

interface Row extends ListedDocument {
  readonly id: number
  readonly deleted: string | null
  readonly completed: string | null
  readonly sizeBytes: number
  readonly chunkCount: number
}

/** The locations of an engine's data. */
export interface Places {
  readonly database: string
  readonly files: string
  readonly vectors: string
  readonly words: string
}

export function placesIn(dataDir: string): Places {
  const [files, vectors, words] = ['files', 'vectors', 'words'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ]
  return { database: join(dataDir, 'alcove.sqlite'), files, vectors, words }
}

/** The problems of a folder that no engine uses, after all work is done. */
export async function inspect(places: Places, ledger?: SoakLedger): Promise<string[]> {
  const knex = openSqlite(places.database)
  const storage = new KnexStorage({ knex, keepKnex: true })
  const index = new LanceDbVectorIndex(places.vectors)
  const words = new SqliteLexicalIndex(places.words)
  try {
    const contexts = new Set<number>(await knex('alcove_contexts').whereNull('deleted').pluck('id'))
    const rows = await documentRows(knex)
    const listed = rows.filter(({ deleted }) => deleted === null)
    return [
      ...((await ledger?.reconcile(contexts, listed)) ?? []),
      ...sameTwice(listed),
      ...listed
        .filter(({ completed, error }) => completed === null && error === null)
        .map(({ uuid }) => `${uuid} waits`),
      ...(await leftRows(knex, rows)),
      ...(await wrongChunks(knex, listed, ledger)),
      ...(await wrongFiles(places.files, listed)),
      ...(await wrongVectors(knex, index, contexts, listed)),
      ...(await wrongWords(words, contexts, listed)),
      ...(await wrongQuota(storage, contexts, listed)),
    ]
  } finally {
    await index.close()
    await words.close()
    await knex.destroy()
  }
}

async function documentRows(knex: Knex): Promise<readonly Row[]> {
  return await knex('alcove_documents').select({
    id: 'id',
    uuid: 'uuid',
    contextId: 'context_id',
    fileName: 'original_name',
    sha256: 'content_hash',
    sizeBytes: 'size_bytes',
    chunkCount: 'chunk_count',
    completed: 'completed',
    error: 'error',
    deleted: 'deleted',
  })
}

function sameTwice(listed: readonly Row[]): string[] {
  const names = listed.map(({ contextId, fileName, sha256 }) => `${contextId} ${fileName} ${sha256}`)
  return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `there twice: ${name}`)
}

/** Rows of deleted documents and contexts, and unfinished work. */
async function leftRows(knex: Knex, rows: readonly Row[]): Promise<string[]> {
  const problems = rows.filter(({ deleted }) => deleted !== null).map(({ uuid }) => `the row of ${uuid} is left`)
  const ids = new Set(rows.map(({ id }) => id))
  for (const table of ['alcove_chunks', 'alcove_windows']) {
    const owners: readonly number[] = await knex(table).distinct().pluck('document_id')
    for (const owner of owners) if (!ids.has(owner)) problems.push(`${table} has rows of the document ${owner}`)
  }
  const jobs: readonly { kind: string; subject: number }[] = await knex('alcove_jobs').select()
  for (const { kind, subject } of jobs) {
    if (/^(ingest|purge|index)-/.test(kind)) problems.push(`the job ${kind} of ${subject} is left`)
  }
  const contexts: readonly number[] = await knex('alcove_contexts').whereNotNull('deleted').pluck('id')
  for (const id of contexts) problems.push(`the row of the context ${id} is left`)
  const uploads: readonly string[] = await knex('alcove_uploads').pluck('uuid')
  for (const uuid of uploads) problems.push(`the upload ${uuid} is left`)
  return problems
}

/** Every completed document has its text in full, and each of its chunks once. */
async function wrongChunks(knex: Knex, listed: readonly Row[], ledger?: SoakLedger): Promise<string[]> {
  const problems: string[] = []
  for (const { id, uuid, completed, chunkCount } of listed) {
    if (completed === null) continue
    const chunks: readonly { ordinal: number; content: string }[] = await knex('alcove_chunks')
      .where('document_id', id)
      .orderBy('ordinal')
      .select('ordinal', 'content')
    if (chunks.length !== chunkCount || chunks.some(({ ordinal }, at) => ordinal !== at)) {
      problems.push(`${uuid} has ${chunks.length} chunks instead of ${chunkCount}, or not in their order`)
    }
    const recipe = ledger?.documents.get(uuid)?.recipe
    const text = recipe && textOf(recipe)
    const content = chunks.map((chunk) => chunk.content).join('')
    if (text !== undefined && withoutSpaces(content) !== withoutSpaces(text)) problems.push(`${uuid} lacks text`)
  }
  return problems
}

async function wrongFiles(folder: string, listed: readonly Row[]): Promise<string[]> {
  const problems: string[] = []
  const wanted = new Map(listed.map((row) => [row.uuid, row]))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const row = wanted.get(entry.name)
    wanted.delete(entry.name)
    if (row === undefined) {
      problems.push(`the file ${entry.name} is left`)
      continue
    }
    const bytes = await readFile(join(entry.parentPath, entry.name))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    if (sha256 !== row.sha256 || bytes.length !== row.sizeBytes) problems.push(`the file ${entry.name} has other bytes`)
  }
  for (const uuid of wanted.keys()) problems.push(`the file of ${uuid} is missing`)
  return problems
}

/** The vector index has one vector for each window of the embedded chunks, and no other vectors. */
async function wrongVectors(
  knex: Knex,
  index: LanceDbVectorIndex,
  contexts: ReadonlySet<number>,
  listed: readonly Row[],
): Promise<string[]> {
  const problems: string[] = []
  const windows = new Map<number, number>()
  const counted: readonly { id: number; count: number }[] = await knex('alcove_windows')
    .join('alcove_documents', 'alcove_documents.id', 'document_id')
    .whereRaw('chunk < embedded_chunks')
    .groupBy('document_id')
    .select({ id: 'document_id' })
    .count({ count: '*' })
  for (const { id, count } of counted) windows.set(id, count)
  const contextOf = new Map(listed.map(({ id, contextId }) => [id, contextId]))
  for (const name of await index.listCollections()) {
    const contextId = Number(/^context-(\d+)-/.exec(name)?.[1])
    if (!contexts.has(contextId)) problems.push(`the collection ${name} is left`)
    for (const [id, count] of await index.countByDocument(name)) {
      if (contextOf.get(id) !== contextId) problems.push(`${name} has ${count} vectors of ${id}, which is gone`)
      else if (windows.get(id) !== count)
        problems.push(`${id} has ${count} vectors for ${windows.get(id) ?? 0} windows`)
      windows.delete(id)
    }
  }
  for (const [id, count] of windows) problems.push(`${id} has no vectors for ${count} windows`)
  return problems
}

/** The word index has each chunk of a completed document once, and no rows of deleted documents. */
async function wrongWords(
  index: SqliteLexicalIndex,
  contexts: ReadonlySet<number>,
  listed: readonly Row[],
): Promise<string[]> {
  const problems: string[] = []
  const rows = new Map(listed.map((row) => [row.id, row]))
  const without = new Map(listed.filter(({ completed }) => completed !== null).map((row) => [row.id, row.chunkCount]))
  for (const name of await index.listCollections()) {
    const contextId = Number(/^context-(\d+)-/.exec(name)?.[1])
    if (!contexts.has(contextId)) problems.push(`the collection ${name} is left`)
    for (const [id, count] of await index.countByDocument(name)) {
      const row = rows.get(id)
      if (row?.contextId !== contextId) problems.push(`${name} has the words of ${id}, which is gone`)
      else if (row.completed !== null && row.chunkCount !== count)
        problems.push(`${id} has the words of ${count} chunks for ${row.chunkCount}`)
      without.delete(id)
    }
  }
  for (const [id, chunks] of without) problems.push(`${id} has no words for ${chunks} chunks`)
  return problems
}

async function wrongQuota(
  storage: KnexStorage,
  contexts: ReadonlySet<number>,
  listed: readonly Row[],
): Promise<string[]> {
  const problems: string[] = []
  for (const id of contexts) {
    const used = await storage.read(({ uploads }) => uploads.usedBytes(id))
    const sizes = listed.filter(({ contextId }) => contextId === id).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    if (used !== sizes) problems.push(`the context ${id} uses ${used} bytes for ${sizes}`)
  }
  return problems
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '')
}
