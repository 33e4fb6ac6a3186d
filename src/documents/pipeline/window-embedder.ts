import { untilAborted } from '../../kernel/scheduling/abort.js'
import { TimeSlice } from '../../kernel/scheduling/time-slice.js'
import {
  type EmbeddingModel,
  type NewChunk,
  readableText,
  type Storage,
  type VectorCollection,
  type VectorIndex,
} from '../../ports/index.js'
import { collectionOf, type GenerationOwner } from '../collections.js'
import type { PendingVectors } from './pending-vectors.js'

/** Chunks, and the vectors of their windows, row by row in their order. */
export interface EmbeddedBatch {
  readonly chunks: readonly NewChunk[]
  readonly vectors: Float32Array
  readonly windowCount: number
  /** Windows whose vectors the index had, or another document computed. */
  readonly reused: number
  readonly embedMs: number
  /** Call this once the batch is written: from then on, other documents read its vectors from the index. */
  release(): void
}

/**
 * Gives each window of a document its vector. Vectors that the context has already, or that another document computes at
 * the moment, are not computed a second time.
 */
export class WindowEmbedder {
  /** Keys of this document's pending vectors. Other documents may wait for them. */
  readonly #claimedKeys = new Set<string>()
  #isClosed = false

  constructor(
    private readonly storage: Storage,
    private readonly index: VectorIndex,
    private readonly model: EmbeddingModel,
    private readonly context: GenerationOwner,
    private readonly collection: VectorCollection,
    private readonly pendingVectors: PendingVectors,
  ) {}

  async embed({ chunks }: ChunkBatch<NewChunk>, signal: AbortSignal): Promise<EmbeddedBatch> {
    const startedAt = performance.now()
    const { dimensions } = this.collection
    const texts = new Map<string, string>()
    for (const { content, windows } of chunks) {
      for (const { start, end, hash } of windows) texts.set(hash, content.slice(start, end))
    }
    const { vectorOf, computed, claimed } = await this.#vectorsOf(texts, signal)
    const hashes = chunks.flatMap(({ windows }) => windows.map(({ hash }) => hash))
    const vectors = new Float32Array(hashes.length * dimensions)
    hashes.forEach((hash, row) => {
      vectors.set(vectorOf.get(hash) ?? [], row * dimensions)
    })
    return {
      chunks,
      vectors,
      windowCount: hashes.length,
      reused: hashes.length - computed,
      embedMs: performance.now() - startedAt,
      release: () => {
        this.#release(claimed)
      },
    }
  }

  /** Ends the waits of other documents for vectors of this one. */
  close(): void {
    this.#isClosed = true
    this.#release([...this.#claimedKeys])
  }

  /** The vectors of texts, by hash. */
  async #vectorsOf(texts: ReadonlyMap<string, string>, signal: AbortSignal): Promise<FoundVectors> {
    const vectorOf = new Map<string, Float32Array>()
    const claimed: string[] = []
    let computed = 0
    while (vectorOf.size < texts.size) {
      if (this.#isClosed) throw new Error('the embedding of this document was aborted')
      const wanted = [...texts.keys()].filter((hash) => !vectorOf.has(hash))
      // Claims first, then reads: vectors that another document released before the claim are in the index by now.
      const { mine, others } = this.pendingVectors.claim(wanted.map((hash) => this.#keyOf(hash)))
      for (const key of mine) this.#claimedKeys.add(key)
      claimed.push(...mine)
      const isMine = new Set(mine)
      const own = wanted.filter((hash) => isMine.has(this.#keyOf(hash)))
      const found = await this.#readWritten(own)
      const missing = own.filter((hash) => !found.has(hash))
      const computedVectors = await this.#compute(missing, texts, signal)
      computed += missing.length
      for (const [hash, vector] of [...found, ...computedVectors]) {
        vectorOf.set(hash, vector)
        this.pendingVectors.settle(this.#keyOf(hash), vector)
      }
      const foreign = wanted.filter((hash) => !isMine.has(this.#keyOf(hash)))
      const pending = foreign.map(async (hash) => await others.get(this.#keyOf(hash)))
      const foreignVectors = await untilAborted(Promise.all(pending), signal)
      foreign.forEach((hash, index) => {
        const vector = foreignVectors[index]
        // Undefined if the other document was aborted: the next round claims the key.
        if (vector !== undefined) vectorOf.set(hash, vector)
      })
    }
    return { vectorOf, computed, claimed }
  }

  async #compute(
    hashes: readonly string[],
    texts: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<Map<string, Float32Array>> {
    if (hashes.length === 0) return new Map()
    const { dimensions } = this.collection
    const tokenizer = await this.model.tokenizer()
    const slice = new TimeSlice()
    const readable: string[] = []
    for (const hash of hashes) {
      readable.push(readableText(tokenizer, texts.get(hash) ?? ''))
      await slice.pauseIfOver()
    }
    const rows = await this.model.embed(readable, { kind: 'passage', signal })
    return new Map(hashes.map((hash, row) => [hash, rows.subarray(row * dimensions, (row + 1) * dimensions)]))
  }

  #keyOf(hash: string): string {
    return `${this.collection.name}/${hash}`
  }

  #release(keys: readonly string[]): void {
    for (const key of keys) {
      this.pendingVectors.release(key)
      this.#claimedKeys.delete(key)
    }
  }

  /**
   * The vectors that the index has for windows with these hashes. Documents of the same context share them, also those of
   * two generations: a hash is of one model.
   */
  async #readWritten(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const { id } = this.context
    const { present, found } = await this.storage.read(async ({ chunks, contexts }) => ({
      found: await chunks.findWindows(id, hashes),
      present: (await contexts.generations(id))?.generation ?? this.context.generation,
    }))
    const known = new Map<string, Float32Array>()
    for (const generation of new Set([...found.values()].map((key) => key.generation ?? present))) {
      const entries = [...found].filter(([, key]) => (key.generation ?? present) === generation)
      const collection = collectionOf({ id, generation }, this.model.profile)
      const vectors = await this.index.read(
        collection,
        entries.map(([, key]) => key),
      )
      entries.forEach(([hash], index) => {
        const vector = vectors[index]
        if (vector !== undefined) known.set(hash, vector)
      })
    }
    return known
  }
}

interface FoundVectors {
  /** By the hash of the window's text. */
  readonly vectorOf: ReadonlyMap<string, Float32Array>
  /** Number of vectors that this document computed. */
  readonly computed: number
  /** Keys to release once the vectors are written. */
  readonly claimed: readonly string[]
}

/** Chunks that one step handles together. */
export interface ChunkBatch<Chunk> {
  readonly chunks: readonly Chunk[]
  readonly windowCount: number
}

/** Groups chunks into batches of at least `minWindows` windows. The last batch may have fewer. */
export async function* batchByWindows<Chunk extends { readonly windows: readonly unknown[] }>(
  chunks: AsyncIterable<Chunk>,
  minWindows: number,
): AsyncGenerator<ChunkBatch<Chunk>> {
  let batch: Chunk[] = []
  let windowCount = 0
  for await (const chunk of chunks) {
    batch.push(chunk)
    windowCount += chunk.windows.length
    if (windowCount < minWindows) continue
    yield { chunks: batch, windowCount }
    batch = []
    windowCount = 0
  }
  if (batch.length > 0) yield { chunks: batch, windowCount }
}
