import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../../../adapters/words/index.js'

/** The data of one document in a data folder. */
export interface DocumentContents {
  readonly originalName: string
  readonly contentHash: string
  readonly isCompleted: boolean
  /** True when its row says so. */
  readonly chunkCount: number
  readonly chunks: number
  readonly windows: number
  readonly vectors: number
  /** Chunks in the word index. */
  readonly words: number
  /** SHA-256 of its file; null without a file. */
  readonly fileHash: string | null
}

/**
 * Reads a data folder from outside, while no engine works on it.
 * @returns the documents that are not deleted, by UUID, and ids with vectors or words but without a document
 */
export async function folderContents(
  dataDir: string,
): Promise<{ readonly documents: ReadonlyMap<string, DocumentContents>; readonly strangers: readonly number[] }> {
  const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
  const index = new LanceDbVectorIndex(join(dataDir, 'vectors'))
  const lexical = new SqliteLexicalIndex(join(dataDir, 'words'))
  try {
    const rows = await knex('alcove_documents').whereNull('deleted').select<Row[]>()
    const counts = async (table: string) =>
      new Map(
        (await knex(table).groupBy('document_id').select<Counted[]>('document_id', knex.raw('count(*) as count'))).map(
          ({ document_id, count }) => [document_id, count],
        ),
      )
    const [chunks, windows] = [await counts('alcove_chunks'), await counts('alcove_windows')]
    const [vectors, words] = [await countsIn(index), await countsIn(lexical)]
    const documents = new Map<string, DocumentContents>()
    for (const row of rows) {
      documents.set(row.uuid, {
        originalName: row.original_name,
        contentHash: row.content_hash,
        isCompleted: row.completed !== null,
        chunkCount: row.chunk_count,
        chunks: chunks.get(row.id) ?? 0,
        windows: windows.get(row.id) ?? 0,
        vectors: vectors.get(row.id) ?? 0,
        words: words.get(row.id) ?? 0,
        fileHash: await hashOf(join(dataDir, 'files', row.uuid.slice(0, 2), row.uuid)),
      })
    }
    const ids = new Set(rows.map(({ id }) => id))
    return { documents, strangers: [...vectors.keys(), ...words.keys()].filter((id) => !ids.has(id)) }
  } finally {
    await index.close()
    await lexical.close()
    await knex.destroy()
  }
}

interface Row {
  readonly id: number
  readonly uuid: string
  readonly original_name: string
  readonly content_hash: string
  readonly chunk_count: number
  readonly completed: string | null
}

interface Counted {
  readonly document_id: number
  readonly count: number
}

/** Rows of each document, in all collections. */
async function countsIn(index: LanceDbVectorIndex | SqliteLexicalIndex): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  for (const name of await index.listCollections()) {
    for (const [id, count] of await index.countByDocument(name)) counts.set(id, count + (counts.get(id) ?? 0))
  }
  return counts
}

async function hashOf(path: string): Promise<string | null> {
  return await readFile(path).then(
    (bytes) => createHash('sha256').update(bytes).digest('hex'),
    () => null,
  )
}
