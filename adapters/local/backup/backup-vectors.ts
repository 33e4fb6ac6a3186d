import { rm } from 'node:fs/promises'
import { VectorsDamagedError } from '../../../src/index.js'
import type { SqliteSnapshot } from '../../knex/index.js'
import { LanceDbVectorIndex } from '../../lancedb/index.js'
import { documentsWithoutVectors } from '../documents-without-vectors.js'
import { copyTables } from './backup-tables.js'

/** Vectors that were copied. */
export interface CopiedVectors {
  readonly collections: number
  readonly vectors: number
  /** UUIDs of documents that are completed and have fewer vectors than windows. */
  readonly documentsWithoutVectors: readonly string[]
}

const MOST_COPIES = 3

/**
 * Copies the vectors of the documents that are completed in a snapshot, while the tables are written to, and counts
 * them. What is missing is copied again: it stays missing only where the source does not have it.
 */
export async function copyVectors(
  paths: { readonly from: string; readonly to: string },
  snapshot: SqliteSnapshot,
  signal: AbortSignal,
): Promise<CopiedVectors> {
  for (let copy = 1; ; copy += 1) {
    await copyTables(paths.from, paths.to, signal)
    const copied = await keepCompleted(paths.to, snapshot, signal)
    if (copied.documentsWithoutVectors.length === 0 || copy === MOST_COPIES) return copied
    await rm(paths.to, { recursive: true, force: true })
  }
}

/**
 * Removes what the snapshot does not have as completed: later documents, whose ids the restored engine will give to
 * others, and those under way, which begin anew.
 */
async function keepCompleted(folder: string, snapshot: SqliteSnapshot, signal: AbortSignal): Promise<CopiedVectors> {
  const completed = new Set<number>()
  for await (const { id, isCompleted } of snapshot.documents()) if (isCompleted) completed.add(id)
  const index = new LanceDbVectorIndex(folder, { maintains: false })
  try {
    // A context may have vectors of several models; those of the one in use are all there.
    const most = new Map<number, number>()
    const kept = { collections: 0, vectors: 0 }
    for (const name of await index.listCollections()) {
      signal.throwIfAborted()
      const keep = await keepIn(index, name, completed)
      if (keep.length === 0) continue
      for (const [id, count] of keep) most.set(id, Math.max(count, most.get(id) ?? 0))
      kept.collections += 1
      kept.vectors += keep.reduce((sum, [, count]) => sum + count, 0)
    }
    return { ...kept, documentsWithoutVectors: await documentsWithoutVectors(snapshot, most) }
  } finally {
    await index.close()
  }
}

/**
 * What is damaged in the source is of no use in the backup: it is dropped, and made again from the documents.
 * @returns the documents that are kept of a collection, with their vectors; without any, it is dropped
 */
async function keepIn(
  index: LanceDbVectorIndex,
  name: string,
  completed: ReadonlySet<number>,
): Promise<readonly (readonly [id: number, vectors: number])[]> {
  try {
    const counts = [...(await index.countByDocument(name))]
    const keep = counts.filter(([id]) => completed.has(id))
    if (keep.length > 0) {
      for (const [id] of counts) if (!completed.has(id)) await index.deleteDocument(name, id, 0)
      return keep
    }
  } catch (error) {
    if (!(error instanceof VectorsDamagedError)) throw error
  }
  await index.drop(name)
  return []
}
