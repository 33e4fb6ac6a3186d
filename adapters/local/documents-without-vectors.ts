import type { SqliteSnapshot } from '../knex/index.js'

/**
 * UUIDs of completed documents that have fewer vectors than windows.
 * @param vectors the number of vectors by document. If a document has vectors of several models, the largest number
 */
export async function documentsWithoutVectors(
  snapshot: SqliteSnapshot,
  vectors: ReadonlyMap<number, number>,
): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { id, uuid, isCompleted, windows } of snapshot.documents()) {
    if (isCompleted && (vectors.get(id) ?? 0) < windows) found.push(uuid)
  }
  return found
}
