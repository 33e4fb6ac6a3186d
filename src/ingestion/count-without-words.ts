import { ANALYZER_VERSION } from '../analysis/index.js'
import type { Storage } from '../ports/index.js'
import { pages } from '../shared/pages.js'

const DOCUMENTS_PER_PAGE = 5_000

/** How many completed documents of a context are not indexed by this version of the analyzer. */
export async function countWithoutWords(storage: Storage, contextId: number): Promise<number> {
  let count = 0
  const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
    return await storage.read(({ documents }) => documents.listWithoutWords(contextId, ANALYZER_VERSION, page))
  })
  for await (const ids of listed) count += ids.length
  return count
}
