import { type AlcoveClient, dataOf } from '../../api/api.js'
import type { Chunk } from '../document.js'

/** A link to a chunk: its id, and the part of the text that it is about. */
export interface ChunkLink {
  readonly chunkId: number | undefined
  /** Offsets in the text of the document, in UTF-16 units. */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** The place to which a link leads. */
export interface ChunkPlace {
  /** Ordinal of the first chunk to show. */
  readonly ordinal: number
  /** True if there is no such chunk any more. */
  readonly isGone: boolean
}

/** The document, and its sizes. */
interface Place {
  readonly contextId: number
  readonly docId: number
  readonly chunks: number
  readonly characters: number
}

export const PAGE_CHUNKS = 20

/** The link in the address of the page. */
export function linkIn(search: string): ChunkLink {
  const query = new URLSearchParams(search)
  const number = (name: string): number | undefined => {
    const value = Number(query.get(name) ?? Number.NaN)
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  }
  return { chunkId: number('chunk'), from: number('from'), to: number('to') }
}

/** @param first ordinal of the first chunk @throws AlcoveApiError, AlcoveClientError */
export async function readChunks(
  api: AlcoveClient,
  { contextId, docId }: Pick<Place, 'contextId' | 'docId'>,
  { first, limit }: { readonly first: number; readonly limit: number },
  signal: AbortSignal,
): Promise<readonly Chunk[]> {
  const params = { path: { contextId, docId }, query: { limit, ...(first > 0 && { after: first - 1 }) } }
  return await dataOf(api.GET('/context/documents/{contextId}/{docId}/chunks', { params, signal }))
}

/**
 * Finds the chunk of a link among all, in a few requests: the API lists chunks by ordinal only. If the chunk is gone, it
 * finds the text that the link is about.
 *
 * @throws AlcoveApiError, AlcoveClientError
 */
export async function findChunk(
  api: AlcoveClient,
  place: Place,
  { chunkId, from }: ChunkLink,
  signal: AbortSignal,
): Promise<ChunkPlace> {
  if (chunkId === undefined && from === undefined) return { ordinal: 0, isGone: false }
  const last = place.chunks - 1
  const guess = Math.floor(from === undefined ? last / 2 : (from / Math.max(1, place.characters)) * last)
  const find = async (compare: Compare): Promise<number | undefined> =>
    await search(
      async (first) => await readChunks(api, place, { first, limit: PAGE_CHUNKS }, signal),
      last,
      guess,
      compare,
    )
  // Both grow with the ordinal.
  const byId = chunkId === undefined ? undefined : await find(({ id }) => id - chunkId)
  if (byId !== undefined) return { ordinal: byId, isGone: false }
  const byText =
    from === undefined ? undefined : await find(({ start, end }) => (start > from ? 1 : end <= from ? -1 : 0))
  return { ordinal: byText ?? 0, isGone: chunkId !== undefined || byText === undefined }
}

/** Below 0 for a chunk before the wanted one, above 0 for one after it. */
type Compare = (chunk: Chunk) => number

async function search(
  read: (first: number) => Promise<readonly Chunk[]>,
  last: number,
  firstGuess: number,
  compare: Compare,
): Promise<number | undefined> {
  let [low, high, guess] = [0, last, firstGuess]
  while (low <= high) {
    const chunks = await read(Math.max(low, Math.min(high, guess) - PAGE_CHUNKS / 2))
    const [head] = chunks
    const tail = chunks.at(-1)
    if (head === undefined || tail === undefined) return undefined
    const found = chunks.find((chunk) => compare(chunk) === 0)
    if (found !== undefined) return found.ordinal
    if (compare(head) > 0) high = head.ordinal - 1
    else if (compare(tail) < 0) low = tail.ordinal + 1
    else return undefined
    guess = Math.floor((low + high) / 2)
  }
  return undefined
}
