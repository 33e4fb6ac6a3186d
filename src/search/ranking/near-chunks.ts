import { inBatches } from '../../kernel/batches.js'
import { LruMap } from '../../kernel/lru-map.js'
import type { FairScheduler, TurnTaker } from '../../kernel/scheduling/fair-scheduler.js'
import {
  type ChunkKey,
  type ChunkRepository,
  cosine,
  type EmbeddingModel,
  type NewChunk,
  readableText,
  type Storage,
  type VectorHit,
  type VectorKey,
} from '../../ports/index.js'

import type { WordsOfPart } from './words-of-part.js'

/** The side of a search that found a chunk: the word index or the vector index. */
export type FoundBy = 'words' | 'meaning'

/**
 * Number of the best chunks of each search whose texts are compared, and which are evidence that a context answers a prompt:
 * however few results the caller asks for.
 */
export const BEST_CHUNKS = 5

/** A chunk with the similarity of its nearest window. */
export interface NearChunk extends ChunkKey {
  /** Cosine, limited to 0 to 1. */
  readonly similarity: number
  /** Ordinal of the window in the chunk. */
  readonly window: number
}

/** A chunk that a search found. */
export interface RankedChunk extends ChunkKey {
  /** Cosine of the prompt and the chunk, limited to 0 to 1; the same whichever side found the chunk. */
  readonly similarity: number
  /** The value that orders the chunks, 0 to 1. Comparable within one search only. */
  readonly score: number
  /** Ordinal in the chunk of the window that is nearest in meaning. */
  readonly window: number
  /** BM25, if both sides made the score. */
  readonly wordScore?: number
  /** Words of a question that found the chunk, beside the part of the prompt that decides. */
  readonly question?: WordsOfPart
  readonly foundBy: readonly FoundBy[]
}

/** The best window of each chunk among the hits of one or more queries. */
export class BestWindows {
  readonly #best = new Map<string, NearChunk>()

  /** Adds a hit of the vector index. Keeps the window only if it is the best one of its chunk so far. */
  addHit({ documentId, chunk, window, similarity }: VectorHit): void {
    this.add({ documentId, ordinal: chunk, window, similarity: clamp(similarity) })
  }

  /** As {@link addHit}, for a similarity that is 0 to 1 already. */
  add(candidate: NearChunk): void {
    const key = toMapKey(candidate)
    const best = this.#best.get(key)
    if (best === undefined || best.similarity < candidate.similarity) this.#best.set(key, candidate)
  }

  get(key: ChunkKey): NearChunk | undefined {
    return this.#best.get(toMapKey(key))
  }

  /** @returns all chunks, in any order */
  all(): readonly NearChunk[] {
    return [...this.#best.values()]
  }

  /** @returns the chunks with at least this similarity, the most similar first, equal ones by age */
  ranked(scoreThreshold: number): NearChunk[] {
    return this.all()
      .filter(({ similarity }) => similarity >= scoreThreshold)
      .sort((one, other) => other.similarity - one.similarity || byAge(one, other))
  }
}

/** The similarities that one search knows, and the chunks that have no vectors. */
export class KnownChunks {
  readonly bestWindows: BestWindows = new BestWindows()
  /** Chunks that have no vectors in the index; true while the search has not computed these vectors yet. */
  readonly #unembedded = new Map<string, boolean>()

  /** True if the search need not ask the vector index for this chunk. */
  has(key: ChunkKey): boolean {
    return this.bestWindows.get(key) !== undefined || this.#unembedded.has(toMapKey(key))
  }

  isWaiting(key: ChunkKey): boolean {
    return this.bestWindows.get(key) === undefined && this.#unembedded.get(toMapKey(key)) === true
  }

  setWaiting(key: ChunkKey, isWaiting: boolean): void {
    this.#unembedded.set(toMapKey(key), isWaiting)
  }
}

/** @returns a string that identifies the chunk as a key of a `Map` or `Set` */
export function toMapKey({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

/** @returns the chunk, of a completed document or not; `undefined` if the storage does not have it */
export async function readChunk(
  chunks: Pick<ChunkRepository, 'page'>,
  { documentId, ordinal }: ChunkKey,
): Promise<NewChunk | undefined> {
  const [chunk] = await chunks.page(documentId, { ordinal, limit: 1 })
  return chunk?.ordinal === ordinal ? chunk : undefined
}

/** Limits a similarity or a score to 0 to 1, the range of the specification. */
export function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

/** The fields that decide the order of chunks. */
type Relevance = ChunkKey & Pick<RankedChunk, 'score' | 'similarity'>

/** Orders the best first, equal ones by similarity, then by age. The same chunks always have the same order. */
export function byRelevance(one: Relevance, other: Relevance): number {
  return other.score - one.score || other.similarity - one.similarity || byAge(one, other)
}

/** Orders the oldest document first, and the chunks of a document by their ordinals. */
function byAge(one: ChunkKey, other: ChunkKey): number {
  return one.documentId - other.documentId || one.ordinal - other.ordinal
}

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
   * @param maxWindows most windows that one {@link compare} embeds, unless one chunk has more
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
    const chunk = await this.storage.read(({ chunks }) => readChunk(chunks, { documentId, ordinal }))
    if (chunk === undefined) return []
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
