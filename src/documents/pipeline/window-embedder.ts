import { untilAborted } from '../../kernel/abort.js'
import { TimeSlice } from '../../kernel/time-slice.js'
import type { EmbeddingModel, NewChunk, Storage, VectorCollection, VectorIndex } from '../../ports/index.js'

interface FoundVectors {
  readonly vectors: ReadonlyMap<string, Float32Array>
  readonly computed: number
  readonly claimed: readonly string[]
}

/** Chunks, and the vectors of their windows, row by row in their order. */
export interface EmbeddedBatch {
  readonly chunks: readonly NewChunk[]
  readonly vectors: Float32Array
  readonly windowCount: number
  /** Windows whose vectors were known from before, or came from another document under way. */
  readonly reused: number
  readonly embedMs: number
  /** To be called once the batch is written: whoever needs its vectors finds them there. */
  release(): void
}

/** Gives every window of a document its vector; one that the context has already, or that comes, is not computed again. */
export class WindowEmbedder {
  readonly #storage: Storage
  readonly #index: VectorIndex
  readonly #model: EmbeddingModel
  readonly #contextId: number
  readonly #collection: VectorCollection
  readonly #underWay: EmbeddingsUnderWay
  /** Keys of the vectors that others may wait for. */
  readonly #held = new Set<string>()
  #isClosed = false

  constructor(
    storage: Storage,
    index: VectorIndex,
    model: EmbeddingModel,
    contextId: number,
    collection: VectorCollection,
    underWay: EmbeddingsUnderWay,
  ) {
    this.#storage = storage
    this.#index = index
    this.#model = model
    this.#contextId = contextId
    this.#collection = collection
    this.#underWay = underWay
  }

  async embed({ chunks }: ChunkBatch<NewChunk>, signal: AbortSignal): Promise<EmbeddedBatch> {
    const began = performance.now()
    const { dimensions } = this.#collection
    const texts = new Map<string, string>()
    for (const { content, windows } of chunks) {
      for (const { start, end, hash } of windows) texts.set(hash, content.slice(start, end))
    }
    const { vectors: known, computed, claimed } = await this.#vectorsOf(texts, signal)
    const hashes = chunks.flatMap(({ windows }) => windows.map(({ hash }) => hash))
    const vectors = new Float32Array(hashes.length * dimensions)
    hashes.forEach((hash, row) => {
      vectors.set(known.get(hash) ?? [], row * dimensions)
    })
    return {
      chunks,
      vectors,
      windowCount: hashes.length,
      reused: hashes.length - computed,
      embedMs: performance.now() - began,
      release: () => {
        this.#release(claimed)
      },
    }
  }

  /** Nobody is to wait any longer for what this document had under way. */
  close(): void {
    this.#isClosed = true
    this.#release([...this.#held])
  }

  /** The vectors of texts, by hash; how many were computed here; and which are held until they are written. */
  async #vectorsOf(texts: ReadonlyMap<string, string>, signal: AbortSignal): Promise<FoundVectors> {
    const vectors = new Map<string, Float32Array>()
    const claimed: string[] = []
    let computed = 0
    while (vectors.size < texts.size) {
      if (this.#isClosed) throw new Error('the embedding of this document has ended')
      const wanted = [...texts.keys()].filter((hash) => !vectors.has(hash))
      // First taken, then looked for: what another document had under way before is written by now.
      const { mine, others } = this.#underWay.claim(wanted.map((hash) => this.#keyOf(hash)))
      for (const key of mine) this.#held.add(key)
      claimed.push(...mine)
      const isMine = new Set(mine)
      const own = wanted.filter((hash) => isMine.has(this.#keyOf(hash)))
      const found = await this.#written(own)
      const missing = own.filter((hash) => !found.has(hash))
      const made = await this.#compute(missing, texts, signal)
      computed += missing.length
      for (const [hash, vector] of [...found, ...made]) {
        vectors.set(hash, vector)
        this.#underWay.settle(this.#keyOf(hash), vector)
      }
      const theirs = wanted.filter((hash) => !isMine.has(this.#keyOf(hash)))
      const coming = theirs.map(async (hash) => await others.get(this.#keyOf(hash)))
      const come = await untilAborted(Promise.all(coming), signal)
      theirs.forEach((hash, index) => {
        const vector = come[index]
        if (vector !== undefined) vectors.set(hash, vector)
      })
    }
    return { vectors, computed, claimed }
  }

  async #compute(
    hashes: readonly string[],
    texts: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<Map<string, Float32Array>> {
    if (hashes.length === 0) return new Map()
    const { dimensions } = this.#collection
    const tokenizer = await this.#model.tokenizer()
    const slice = new TimeSlice()
    const readable: string[] = []
    for (const hash of hashes) {
      readable.push(tokenizer.readable(texts.get(hash) ?? ''))
      await slice.breathe()
    }
    const made = await this.#model.embed(readable, { kind: 'passage', signal })
    return new Map(hashes.map((hash, row) => [hash, made.subarray(row * dimensions, (row + 1) * dimensions)]))
  }

  #keyOf(hash: string): string {
    return `${this.#collection.name}/${hash}`
  }

  #release(keys: readonly string[]): void {
    for (const key of keys) {
      this.#underWay.release(key)
      this.#held.delete(key)
    }
  }

  /** Vectors of windows that documents of the context have. */
  async #written(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = await this.#storage.read(({ chunks }) => chunks.findWindows(this.#contextId, hashes))
    const entries = [...found]
    const vectors = await this.#index.read(
      this.#collection,
      entries.map(([, key]) => key),
    )
    const known = new Map<string, Float32Array>()
    entries.forEach(([hash], index) => {
      const vector = vectors[index]
      if (vector !== undefined) known.set(hash, vector)
    })
    return known
  }
}

/** Chunks whose windows are worked on together. */
export interface ChunkBatch<Chunk> {
  readonly chunks: readonly Chunk[]
  readonly windowCount: number
}

/** Groups chunks until they have so many windows or more; the last group may have fewer. */
export async function* batchByWindows<Chunk extends { readonly windows: readonly unknown[] }>(
  chunks: AsyncIterable<Chunk>,
  windows: number,
): AsyncGenerator<ChunkBatch<Chunk>> {
  let batch: Chunk[] = []
  let windowCount = 0
  for await (const chunk of chunks) {
    batch.push(chunk)
    windowCount += chunk.windows.length
    if (windowCount < windows) continue
    yield { chunks: batch, windowCount }
    batch = []
    windowCount = 0
  }
  if (batch.length > 0) yield { chunks: batch, windowCount }
}

/** A vector that somebody computes; `undefined` where that came to nothing. */
type Coming = Promise<Float32Array | undefined>

interface Entry {
  readonly coming: Coming
  readonly settle: (vector: Float32Array | undefined) => void
}

/**
 * The vectors that documents have computed, or are computing, and not written yet: where several documents with the
 * same text are processed at a time, one of them embeds it.
 */
export class EmbeddingsUnderWay {
  readonly #entries = new Map<string, Entry>()

  /**
   * Takes those of the keys that nobody has.
   * @returns those taken, each to be settled and released; and what becomes of the others
   */
  claim(keys: Iterable<string>): { readonly mine: readonly string[]; readonly others: ReadonlyMap<string, Coming> } {
    const mine: string[] = []
    const others = new Map<string, Coming>()
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry === undefined) {
        this.#entries.set(key, newEntry())
        mine.push(key)
      } else {
        others.set(key, entry.coming)
      }
    }
    return { mine, others }
  }

  /** Gives a vector to whoever waits for it, now or until it is released. */
  settle(key: string, vector: Float32Array): void {
    this.#entries.get(key)?.settle(vector)
  }

  /** To be called once the vector can be found elsewhere, or will not come. */
  release(key: string): void {
    this.#entries.get(key)?.settle(undefined)
    this.#entries.delete(key)
  }
}

function newEntry(): Entry {
  let settle: Entry['settle'] = () => undefined
  const coming = new Promise<Float32Array | undefined>((resolve) => {
    settle = resolve
  })
  return { coming, settle }
}
