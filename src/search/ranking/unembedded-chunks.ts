import { inBatches } from '../../kernel/batches.js'
import { LruMap } from '../../kernel/lru-map.js'
import type { FairScheduler, TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import {
  type ChunkKey,
  cosine,
  type EmbeddingModel,
  readableText,
  type Storage,
  type VectorKey,
} from '../../ports/index.js'
import { BestWindows, type NearChunk } from './chunks.js'

/** Windows in one call of the model. Other searches get their turns between these calls. */
const WINDOWS_PER_CALL = 4
/**
 * Maximum number of windows that one {@link UnembeddedChunks.compare} embeds, unless one chunk has more: about a second
 * of work. Further chunks are left out.
 */
export const MAX_EMBEDDED_WINDOWS = 128

/**
 * Compares with a prompt the chunks that have no vectors yet: words find them before their document is completed. The
 * model embeds their windows during the search, so that their similarity is exact too.
 */
export class UnembeddedChunks {
  /** The chunks that this search has compared already. */
  readonly #compared = new BestWindows()

  /**
   * @param turns turns for calls of the model
   * @param cache vectors of the model that earlier searches computed
   * @param maxWindows maximum number of windows that one {@link compare} embeds, unless one chunk has more
   */
  constructor(
    private readonly storage: Storage,
    private readonly model: EmbeddingModel,
    private readonly turns: FairScheduler,
    private readonly cache: ModelVectorCache,
    private readonly maxWindows: number = MAX_EMBEDDED_WINDOWS,
  ) {}

  /**
   * @param queries vectors of the prompt's windows
   * @returns the chunks with their similarities; without chunks that are deleted, or that are too many for one call
   */
  async compare(
    keys: readonly ChunkKey[],
    queries: readonly Float32Array[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly NearChunk[]> {
    const unknown = keys.filter((key) => this.#compared.get(key) === undefined)
    const windowsOfChunks = await Promise.all(unknown.map(async (key) => await this.#readWindows(key)))
    const vectors = await this.#computeVectors(windowsOfChunks, taker, signal)
    for (const windows of windowsOfChunks) {
      // The similarity of a chunk is that of its nearest window, so the search compares all of its windows or none.
      if (!windows.every(({ hash }) => vectors.has(hash))) continue
      for (const { documentId, chunk, window, hash } of windows) {
        const vector = vectors.get(hash) ?? new Float32Array()
        for (const query of queries) {
          this.#compared.addHit({ documentId, chunk, window, similarity: cosine(vector, query) })
        }
      }
    }
    return keys.flatMap((key) => this.#compared.get(key) ?? [])
  }

  /** @returns vectors by the hash of their window: those in the cache, and those of the first chunks without them */
  async #computeVectors(
    windowsOfChunks: readonly (readonly ChunkWindow[])[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>()
    for (const { hash } of windowsOfChunks.flat()) {
      const cached = this.cache.get(hash)
      if (cached !== undefined) vectors.set(hash, cached)
    }
    const uncached = windowsOfChunks.map((windows) => windows.filter(({ hash }) => !vectors.has(hash)))
    const selected = selectFirst(uncached, this.maxWindows)
    const computed = await this.#embed(selected, taker, signal)
    for (const [index, { hash }] of selected.entries()) {
      const vector = computed[index]
      if (vector === undefined) continue
      vectors.set(hash, vector)
      this.cache.set(hash, vector)
    }
    return vectors
  }

  async #readWindows({ documentId, ordinal }: ChunkKey): Promise<readonly ChunkWindow[]> {
    const [chunk] = await this.storage.read(({ chunks }) => chunks.page(documentId, { ordinal, limit: 1 }))
    if (chunk?.ordinal !== ordinal) return []
    const tokenizer = await this.model.tokenizer()
    return chunk.windows.map(({ start, end, hash }, window) => {
      return {
        documentId,
        chunk: ordinal,
        window,
        hash,
        text: readableText(tokenizer, chunk.content.slice(start, end)),
      }
    })
  }

  async #embed(
    windows: readonly ChunkWindow[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const { dimensions } = this.model.profile
    const parts = [...inBatches(windows, WINDOWS_PER_CALL)]
    const calls = parts.map((part) => async (abort: AbortSignal) => {
      const texts = part.map(({ text }) => text)
      return await this.model.embed(texts, { kind: 'passage', isUrgent: true, signal: abort })
    })
    const results = await this.turns.all(taker, calls, signal)
    return results.flatMap((vectors) =>
      Array.from({ length: vectors.length / dimensions }, (_, row) =>
        vectors.slice(row * dimensions, (row + 1) * dimensions),
      ),
    )
  }
}

/** @returns the windows of the first chunks, at most `maxWindows` unless the first chunk has more */
function selectFirst(windowsOfChunks: readonly (readonly ChunkWindow[])[], maxWindows: number): readonly ChunkWindow[] {
  const windows: ChunkWindow[] = []
  for (const chunkWindows of windowsOfChunks) {
    if (windows.length > 0 && windows.length + chunkWindows.length > maxWindows) break
    windows.push(...chunkWindows)
  }
  return windows
}

/** A window of a chunk with the text that the model reads. */
interface ChunkWindow extends VectorKey {
  /** Hash of the text and the model. */
  readonly hash: string
  readonly text: string
}

/** Maximum number of vectors in the cache of each model: 3 MB with 384 dimensions. */
const MAX_CACHED = 2_048

/** Vectors by the hash of their window. */
type ModelVectorCache = LruMap<string, Float32Array>

/**
 * Caches the vectors that searches computed last, for windows that have none in the index yet. The next search in the
 * same document needs many of them.
 */
export class VectorCache {
  readonly #caches = new WeakMap<EmbeddingModel, ModelVectorCache>()

  ofModel(model: EmbeddingModel): ModelVectorCache {
    const cache = this.#caches.get(model) ?? new LruMap(MAX_CACHED)
    this.#caches.set(model, cache)
    return cache
  }
}
