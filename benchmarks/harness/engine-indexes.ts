import { join } from 'node:path'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'

/** The folders of the tables in the data folder. */
const VECTORS = 'vectors'
const WORDS = 'words'

/**
 * Merges and builds indexes. An engine does this between requests, and abandons it when it is closed.
 * @param dataDir data folder of a closed engine
 * @returns the number of windows
 */
export async function putIndexesInOrder(dataDir: string): Promise<number> {
  const index = new LanceDbVectorIndex(join(dataDir, VECTORS))
  let windows = 0
  for (const name of await index.listCollections()) {
    for (const count of (await index.countByDocument(name)).values()) windows += count
  }
  await index.whenMaintained()
  if (index.maintenanceError !== undefined) throw index.maintenanceError
  await index.close()
  await putWordsInOrder(dataDir)
  return windows
}

async function putWordsInOrder(dataDir: string): Promise<void> {
  const words = new SqliteLexicalIndex(join(dataDir, WORDS))
  // The index maintains only collections that are open, so this opens all of them.
  for (const name of await words.listCollections()) await words.count(name, 0)
  await words.whenMaintained()
  if (words.maintenanceError !== undefined) throw words.maintenanceError
  await words.close()
}
