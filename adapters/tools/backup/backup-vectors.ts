import { rm } from 'node:fs/promises'
import type { SqliteSnapshot } from '../../knex/index.js'
import { LanceDbVectorIndex } from '../../lancedb/index.js'
import { documentsWithoutVectors } from '../migration/copy-vectors.js'
import { copyCollections, countRows } from './backup-collections.js'
import { copyTables } from './backup-tables.js'

export interface CopiedVectors {
  readonly collections: number
  readonly vectors: number
  /** UUIDs of completed documents that have fewer vectors than windows. */
  readonly documentsWithoutVectors: readonly string[]
}

const MAX_COPIES = 3

/**
 * Copies and counts the vectors of the documents that are completed in a snapshot, while engines write to the tables.
 * If vectors are missing, it retries, so that only vectors that the source lacks are missing in the end.
 */
export async function copyVectors(
  paths: { readonly from: string; readonly to: string },
  snapshot: SqliteSnapshot,
  signal: AbortSignal,
): Promise<CopiedVectors> {
  const keep = new Set<number>()
  for await (const { id, isCompleted } of snapshot.documents()) if (isCompleted) keep.add(id)
  const copyAll = async (): Promise<void> => await copyTables(paths.from, paths.to, signal)
  const open = () => new LanceDbVectorIndex(paths.to, { maintains: false })
  for (let attempt = 1; ; attempt += 1) {
    const copied = await copyCollections({ copy: copyAll, open, keep, signal })
    // A context may have vectors of several models. The model in use has the most.
    const vectorsByDocument = new Map<number, number>()
    for (const { rows } of copied) {
      for (const [id, count] of rows) vectorsByDocument.set(id, Math.max(count, vectorsByDocument.get(id) ?? 0))
    }
    const incomplete = await documentsWithoutVectors(snapshot, vectorsByDocument)
    if (incomplete.length === 0 || attempt === MAX_COPIES) {
      return { collections: copied.length, vectors: countRows(copied), documentsWithoutVectors: incomplete }
    }
    await rm(paths.to, { recursive: true, force: true })
  }
}
