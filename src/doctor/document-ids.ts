import { pages } from '../kernel/lists.js'
import type { Storage } from '../ports/index.js'

const IDS_PER_PAGE = 500

/** The ids of all versions of a context's documents, page by page, also of those that are not completed. */
export function documentIdPages(storage: Storage, contextId: number): AsyncIterable<readonly number[]> {
  return pages(IDS_PER_PAGE, async (page) => {
    return await storage.read(({ documents }) => documents.listIds(contextId, page))
  })
}
