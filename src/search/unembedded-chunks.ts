import type { FairTurns, TurnTaker } from '../kernel/fair-turns.js'
import { inParts } from '../kernel/in-parts.js'
import { type ChunkKey, cosine, type EmbeddingModel, type Storage, type VectorKey } from '../ports/index.js'
import { BestWindows, type NearChunk } from './known-chunks.js'

/** Windows that a model is given at a time: others may search meanwhile. */
const WINDOWS_PER_CALL = 4
/** Windows that one call embeds, unless one chunk has more: about a second of work. Chunks beyond are left out. */
const MOST_WINDOWS = 128

/**
 * Compares chunks with a prompt that have no vectors yet: their words are found before their document is completed.
 * The model embeds their windows now, so that the similarity is the exact one.
 */
export class UnembeddedChunks {
  readonly #storage: Storage
  readonly #model: EmbeddingModel
  readonly #turns: FairTurns
  readonly #kept: VectorsByHash
  /** What this search has compared already. */
  readonly #known = new BestWindows()

  /**
   * @param turns of the model
   * @param kept vectors of the model that earlier searches have computed
   */
  constructor(storage: Storage, model: EmbeddingModel, turns: FairTurns, kept: VectorsByHash) {
    this.#storage = storage
    this.#model = model
    this.#turns = turns
    this.#kept = kept
  }

  /** Chunks that are gone are left out. */
  async compare(
    keys: readonly ChunkKey[],
    queries: readonly Float32Array[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly NearChunk[]> {
    const unknown = keys.filter((key) => this.#known.get(key) === undefined)
    const ofChunks = await Promise.all(unknown.map(async (key) => await this.#windowsOf(key)))
    const vectors = await this.#vectorsOf(ofChunks, taker, signal)
    for (const windows of ofChunks) {
      // A chunk is as near as its nearest window: all of them are compared, or none.
      if (!windows.every(({ hash }) => vectors.has(hash))) continue
      for (const { documentId, chunk, window, hash } of windows) {
        const vector = vectors.get(hash) ?? new Float32Array()
        for (const query of queries) this.#known.add({ documentId, chunk, window, similarity: cosine(vector, query) })
      }
    }
    return keys.flatMap((key) => this.#known.get(key) ?? [])
  }

  /** Vectors by the hash of their window: those that are kept, and those of the first others. */
  async #vectorsOf(
    ofChunks: readonly (readonly ChunkWindow[])[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>()
    for (const { hash } of ofChunks.flat()) {
      const kept = this.#kept.get(hash)
      if (kept !== undefined) vectors.set(hash, kept)
    }
    const others = firstOf(ofChunks.map((windows) => windows.filter(({ hash }) => !vectors.has(hash))))
    const made = await this.#embed(others, taker, signal)
    for (const [at, { hash }] of others.entries()) {
      const vector = made[at]
      if (vector === undefined) continue
      vectors.set(hash, vector)
      this.#kept.set(hash, vector)
    }
    return vectors
  }

  async #windowsOf({ documentId, ordinal }: ChunkKey): Promise<readonly ChunkWindow[]> {
    const [chunk] = await this.#storage.read(({ chunks }) => chunks.page(documentId, { ordinal, limit: 1 }))
    if (chunk?.ordinal !== ordinal) return []
    const tokenizer = await this.#model.tokenizer()
    return chunk.windows.map(({ start, end, hash }, window) => {
      return { documentId, chunk: ordinal, window, hash, text: tokenizer.readable(chunk.content.slice(start, end)) }
    })
  }

  async #embed(
    windows: readonly ChunkWindow[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const { dimensions } = this.#model.profile
    const parts = [...inParts(windows, WINDOWS_PER_CALL)]
    const works = parts.map((part) => async (abort: AbortSignal) => {
      const texts = part.map(({ text }) => text)
      return await this.#model.embed(texts, { kind: 'passage', isUrgent: true, signal: abort })
    })
    const made = await this.#turns.all(taker, works, signal)
    return made.flatMap((vectors) =>
      Array.from({ length: vectors.length / dimensions }, (_, row) =>
        vectors.slice(row * dimensions, (row + 1) * dimensions),
      ),
    )
  }
}

/** The windows of the first chunks, as many as are worth it. */
function firstOf(ofChunks: readonly (readonly ChunkWindow[])[]): readonly ChunkWindow[] {
  const windows: ChunkWindow[] = []
  for (const ofChunk of ofChunks) {
    if (windows.length > 0 && windows.length + ofChunk.length > MOST_WINDOWS) break
    windows.push(...ofChunk)
  }
  return windows
}

/** A window of a chunk, as the model is to be given it. */
interface ChunkWindow extends VectorKey {
  /** Of its text, under the model. */
  readonly hash: string
  readonly text: string
}

/** Vectors that are kept of each model: 3 MB with 384 dimensions. */
const MOST_KEPT = 2_048

/**
 * The vectors that searches have computed last, of windows that have none in the index yet: the next search in the same
 * document needs many of them again.
 */
export class KeptVectors {
  readonly #ofModels = new WeakMap<EmbeddingModel, VectorsByHash>()

  of(model: EmbeddingModel): VectorsByHash {
    const known = this.#ofModels.get(model) ?? new VectorsByHash()
    this.#ofModels.set(model, known)
    return known
  }
}

/** Vectors by the hash of their window. Those that were used longest ago go first. */
class VectorsByHash {
  readonly #vectors = new Map<string, Float32Array>()

  get(hash: string): Float32Array | undefined {
    const vector = this.#vectors.get(hash)
    if (vector !== undefined) this.set(hash, vector)
    return vector
  }

  set(hash: string, vector: Float32Array): void {
    this.#vectors.delete(hash)
    this.#vectors.set(hash, vector)
    if (this.#vectors.size <= MOST_KEPT) return
    const [oldest] = this.#vectors.keys()
    if (oldest !== undefined) this.#vectors.delete(oldest)
  }
}
