import { join } from 'node:path'
import { LanceDbVectorIndex } from '../dist/adapters/lancedb/index.js'

/** The folder of the tables, in an engine's. */
const VECTORS = 'vectors'

/**
 * Merges and builds indexes, which an engine does between requests, and gives up when it is closed.
 * @param dataDir of an engine that is closed
 * @returns how many windows there are
 */
export async function putVectorsInOrder(dataDir: string): Promise<number> {
  const index = new LanceDbVectorIndex(join(dataDir, VECTORS))
  let windows = 0
  for (const name of await index.listCollections()) {
    for (const count of (await index.countByDocument(name)).values()) windows += count
  }
  await index.whenMaintained()
  if (index.maintenanceError !== undefined) throw index.maintenanceError
  await index.close()
  return windows
}
