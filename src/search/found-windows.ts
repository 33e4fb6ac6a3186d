import { collectionOf } from '../documents/index.js'
import { TimeSlice } from '../kernel/scheduling/time-slice.js'
import type { ContextRecord, VectorIndex, VectorKey } from '../ports/index.js'
import type { FoundChunks, SearchParts } from './context-search.js'
import { PromptTerms } from './prompt-terms.js'
import { type RankedChunk, readChunk, toMapKey } from './ranking/near-chunks.js'
import { type ScoredWindow, scoreWindows, type VectorWindow } from './ranking/window-scores.js'
import { type SearchResult, toResults } from './results.js'
import type { SearchRequest } from './search-input.js'

/** A found chunk, and its windows in the order of the text. */
export interface ChunkWindows {
  readonly result: SearchResult
  readonly windows: readonly ScoredWindow[]
}

/** The windows of a result are matched in its place. */
const NO_TERMS = new PromptTerms(new Map(), new Map())

/** Scores all windows of the chunks that a search found. */
export class FoundWindows {
  constructor(
    private readonly parts: SearchParts,
    private readonly vectors: VectorIndex,
  ) {}

  /** @returns the chunks in the order of the search */
  async read(context: ContextRecord, request: SearchRequest, found: FoundChunks): Promise<ChunkWindows[]> {
    const windows = await this.#readWindows(context, request, found.ranked)
    const slice = new TimeSlice()
    const keys = new Map(found.records.map((record) => [record.id, toMapKey(record)]))
    const ownTerms = new Map(found.ranked.map((chunk) => [toMapKey(chunk), chunk.terms]))
    const chunks: ChunkWindows[] = []
    for (const result of await toResults(found.ranked, NO_TERMS, found.records, slice)) {
      const key = keys.get(result.id) ?? ''
      const query = { ...found, terms: ownTerms.get(key) ?? found.terms }
      chunks.push({ result, windows: await scoreWindows(result.content, windows.get(key) ?? [], query, slice) })
    }
    return chunks
  }

  /** @returns windows by the key of their chunk */
  async #readWindows(
    context: ContextRecord,
    { taker, signal }: SearchRequest,
    ranked: readonly RankedChunk[],
  ): Promise<ReadonlyMap<string, readonly VectorWindow[]>> {
    const { storage, models, turns } = this.parts
    const windows = await storage.read(async ({ chunks }) => {
      const all: (VectorKey & { readonly key: string; readonly start: number; readonly end: number })[] = []
      for (const { documentId, ordinal } of ranked) {
        const chunk = await readChunk(chunks, { documentId, ordinal })
        if (chunk === undefined) continue
        const key = toMapKey({ documentId, ordinal })
        for (const [window, { start, end }] of chunk.windows.entries()) {
          all.push({ key, documentId, chunk: ordinal, window, start, end })
        }
      }
      return all
    })
    const collection = collectionOf(context, models.get(context.embeddingModel).profile)
    const read = async () => await this.vectors.read(collection, windows)
    const vectors = await turns.vectors.one(taker, read, signal)
    const byChunk = new Map<string, VectorWindow[]>()
    for (const [at, { key, start, end }] of windows.entries()) {
      byChunk.set(key, [...(byChunk.get(key) ?? []), { start, end, vector: vectors[at] }])
    }
    return byChunk
  }
}
