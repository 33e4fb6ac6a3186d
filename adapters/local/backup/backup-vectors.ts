import { rm } from 'node:fs/promises'
import type { SqliteSnapshot } from '../../knex/index.js'
import { LanceDbVectorIndex } from '../../lancedb/index.js'
import { documentsWithoutVectors } from '../documents-without-vectors.js'
import { copyCollections, rowsIn } from './backup-collections.js'
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
  const keep = new Set<number>()
  for await (const { id, isCompleted } of snapshot.documents()) if (isCompleted) keep.add(id)
  const take = async (): Promise<void> => await copyTables(paths.from, paths.to, signal)
  const open = () => new LanceDbVectorIndex(paths.to, { maintains: false })
  for (let copy = 1; ; copy += 1) {
    const copied = await copyCollections({ take, open, keep, signal })
    // A context may have vectors of several models; those of the one in use are all there.
    const most = new Map<number, number>()
    for (const { rows } of copied) {
      for (const [id, count] of rows) most.set(id, Math.max(count, most.get(id) ?? 0))
    }
    const lacking = await documentsWithoutVectors(snapshot, most)
    if (lacking.length === 0 || copy === MOST_COPIES) {
      return { collections: copied.length, vectors: rowsIn(copied), documentsWithoutVectors: lacking }
    }
    await rm(paths.to, { recursive: true, force: true })
  }
}
