import type { NewChunk, Storage } from '../../ports/index.js'

/** A page has about so many characters, and is held while the next one is read. */
const CHARACTERS_PER_PAGE = 131_072
const [FIRST_PAGE, SMALLEST_PAGE, LARGEST_PAGE] = [32, 4, 256]

/** The chunks of a document from an ordinal on, as they are stored: a page at a time, whatever the document's size. */
export async function* storedChunks(
  storage: Storage,
  documentId: number,
  fromOrdinal: number = 0,
): AsyncGenerator<NewChunk> {
  let limit = FIRST_PAGE
  for (let ordinal = fromOrdinal; ; ) {
    const from = { ordinal, limit }
    const page = await storage.read(({ chunks }) => chunks.page(documentId, from))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    ordinal = last.ordinal + 1
    const characters = page.reduce((sum, { content }) => sum + content.length, 0)
    const wanted = Math.round((page.length * CHARACTERS_PER_PAGE) / Math.max(1, characters))
    limit = Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, wanted))
  }
}
