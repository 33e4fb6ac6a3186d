import type { SqliteSnapshot } from '../knex/index.js'

/**
 * UUIDs of documents that are completed and have fewer vectors than windows.
 * @param vectors by document: of several models, those of the one in use are all there, so the most count
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
