import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import type { NewChunk, Repositories, Storage } from '../../ports/index.js'
import { FormerEnds } from '../chunking/former-ends.js'

/** Chunks that one transaction removes. Few, so that other writers wait for one transaction, not for all. */
export const CHUNKS_PER_REMOVAL = 500

/** A storage, or a claimed job. */
interface Transactions {
  transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T>
}

/** Removes the chunks of a document from an ordinal on, in steps. */
export async function removeChunks(storage: Transactions, documentId: number, fromOrdinal: number = 0): Promise<void> {
  const removal = { fromOrdinal, limit: CHUNKS_PER_REMOVAL }
  while ((await storage.transaction(({ chunks }) => chunks.remove(documentId, removal))) === CHUNKS_PER_REMOVAL);
}

/** Target size of a page in UTF-16 units. Memory holds one page and the next. */
const CHARACTERS_PER_PAGE = 131_072
const [FIRST_PAGE, SMALLEST_PAGE, LARGEST_PAGE] = [32, 4, 256]

/** The stored chunks of a document from an ordinal on. Memory holds pages, not the whole document. */
export async function* storedChunks(
  storage: Storage,
  documentId: number,
  fromOrdinal: number = 0,
): AsyncGenerator<NewChunk> {
  let limit = FIRST_PAGE
  for (let ordinal = fromOrdinal; ; ) {
    const query = { ordinal, limit }
    const page = await storage.read(({ chunks }) => chunks.page(documentId, query))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    ordinal = last.ordinal + 1
    const characters = page.reduce((sum, { content }) => sum + content.length, 0)
    const nextLimit = Math.round((page.length * CHARACTERS_PER_PAGE) / Math.max(1, characters))
    limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, nextLimit))
  }
}

/** About 60 MB of text, and 1 MB of ends. A longer document is cut as if it were new. */
const MAX_FORMER_CHUNKS = 20_000

/** @returns the places at which a version of a document was cut; `undefined` if it is not completed or too long */
export async function readFormerEnds(storage: Storage, versionId: number): Promise<FormerEnds | undefined> {
  const former = await storage.read(({ documents }) => documents.get(versionId))
  if (former === undefined || former.completed === null || former.chunkCount > MAX_FORMER_CHUNKS) return undefined
  const ends = new FormerEnds()
  const slice = new TimeSlice()
  for await (const { content } of storedChunks(storage, versionId)) {
    ends.add(content)
    await slice.pauseIfOver()
  }
  return ends
}
