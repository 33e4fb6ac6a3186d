import type { ChunkKey, EmbeddingModel, NewChunk, Storage } from '../ports/index.js'
import type { FairTurns, TurnTaker } from '../shared/fair-turns.js'
import { clamp, type NearChunk } from './best-windows.js'

/** Windows that a model is given at a time: others may search meanwhile. */
const WINDOWS_PER_CALL = 4

/**
 * Compares chunks with a prompt that have no vectors yet: their words are found before their document is completed.
 * The model embeds their windows now, so that the similarity is the exact one.
 */
export class UnembeddedChunks {
  readonly #storage: Storage
  readonly #model: EmbeddingModel
  readonly #turns: FairTurns
  /** What this search has compared already. */
  readonly #known = new Map<string, NearChunk>()

  /** @param turns of the model */
  constructor(storage: Storage, model: EmbeddingModel, turns: FairTurns) {
    this.#storage = storage
    this.#model = model
    this.#turns = turns
  }

  /** Chunks that are gone are left out. */
  async compare(
    keys: readonly ChunkKey[],
    queries: readonly Float32Array[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly NearChunk[]> {
    const near: NearChunk[] = []
    for (const key of keys) {
      const name = `${key.documentId}:${key.ordinal}`
      const place = this.#known.get(name) ?? (await this.#compare(key, queries, taker, signal))
      if (place === undefined) continue
      this.#known.set(name, place)
      near.push(place)
    }
    return near
  }

  async #compare(
    { documentId, ordinal }: ChunkKey,
    queries: readonly Float32Array[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<NearChunk | undefined> {
    const [chunk] = await this.#storage.read(({ chunks }) => chunks.page(documentId, { ordinal, limit: 1 }))
    if (chunk?.ordinal !== ordinal) return undefined
    const vectors = await this.#embed(chunk, taker, signal)
    let best: NearChunk | undefined
    vectors.forEach((vector, window) => {
      for (const query of queries) {
        const similarity = clamp(cosine(vector, query))
        if (best === undefined || similarity > best.similarity) best = { documentId, ordinal, window, similarity }
      }
    })
    return best
  }

  async #embed(
    { content, windows }: NewChunk,
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const { dimensions } = this.#model.profile
    const tokenizer = await this.#model.tokenizer()
    const texts = windows.map(({ start, end }) => tokenizer.readable(content.slice(start, end)))
    const parts: string[][] = []
    for (let at = 0; at < texts.length; at += WINDOWS_PER_CALL) parts.push(texts.slice(at, at + WINDOWS_PER_CALL))
    const works = parts.map((part) => async (abort: AbortSignal) => {
      return await this.#model.embed(part, { kind: 'passage', isUrgent: true, signal: abort })
    })
    const made = await this.#turns.all(taker, works, signal)
    return made.flatMap((vectors) =>
      Array.from({ length: vectors.length / dimensions }, (_, row) =>
        vectors.subarray(row * dimensions, (row + 1) * dimensions),
      ),
    )
  }
}

function cosine(one: Float32Array, other: Float32Array): number {
  let [dot, ones, others] = [0, 0, 0]
  one.forEach((component, at) => {
    const opposite = other[at] ?? 0
    dot += component * opposite
    ones += component * component
    others += opposite * opposite
  })
  return dot / (Math.sqrt(ones * others) || 1)
}
