import { ANALYZER_VERSION } from '../analysis/index.js'
import type { LexicalIndex, Storage } from '../ports/index.js'
import { pages } from '../shared/pages.js'
import { IndexWords } from './processing/index-words.js'
import { storedChunks } from './processing/stored-chunks.js'
import { wordCollectionOf } from './vector-collection.js'

const DOCUMENTS_PER_PAGE = 200
/** Each may have a megabyte of tools. */
const CONTEXTS_PER_PAGE = 20

export interface RebuildWordsOptions {
  /** Read, and not written to. */
  readonly storage: Storage
  /** Where the words are to be. */
  readonly index: LexicalIndex
  readonly signal: AbortSignal
  /** Told of each document, with the number of its chunks. */
  readonly onDocument?: (chunks: number) => void
}

/**
 * Makes the words of a storage's documents anew, in an index that lacks them: for a database that moves elsewhere
 * without its word index. Those of documents that have no words by this version of the analyzer are left to the engine,
 * which indexes them in the background; what the index has of a document already, in full, stays.
 *
 * @returns the chunks whose words are in the index
 * @throws StorageError where the index does not keep what it is given
 * @throws the signal's reason
 */
export async function rebuildWords({ storage, index, signal, onDocument }: RebuildWordsOptions): Promise<number> {
  const words = new IndexWords(storage, index)
  const beforeWrite = async (): Promise<void> => signal.throwIfAborted()
  let all = 0
  for await (const contextId of liveContexts(storage)) {
    const there = await index.countByDocument(wordCollectionOf(contextId))
    const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await storage.read(({ documents }) => documents.listLiveIds(contextId, page))
    })
    for await (const ids of listed) {
      signal.throwIfAborted()
      const found = await storage.read(({ documents }) => documents.find(ids))
      for (const { id, completed, wordsVersion, chunkCount } of found) {
        if (completed === null || wordsVersion !== ANALYZER_VERSION) continue
        if (there.get(id) !== chunkCount)
          await words.write({ id, contextId }, storedChunks(storage, id), { beforeWrite })
        all += chunkCount
        onDocument?.(chunkCount)
      }
    }
  }
  return all
}

async function* liveContexts(storage: Storage): AsyncGenerator<number> {
  const listed = pages(CONTEXTS_PER_PAGE, async (page) => await storage.read(({ contexts }) => contexts.page(page)))
  for await (const contexts of listed) for (const { id, deleted } of contexts) if (deleted === null) yield id
}
