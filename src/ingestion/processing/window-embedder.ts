import type {
  EmbeddingModel,
  NewChunk,
  Storage,
  VectorCollection,
  VectorIndex,
  WindowRecord,
} from '../../ports/index.js'
import type { Chunk } from '../chunking/chunker.js'
import { hashText } from './hash.js'
import { TimeSlice } from './time-slice.js'
import type { ChunkBatch } from './window-batch.js'

/** Chunks ready to be stored, and the vectors of their windows, row by row in their order. */
export interface EmbeddedBatch {
  readonly chunks: readonly NewChunk[]
  readonly vectors: Float32Array
  readonly windowCount: number
  /** Windows whose vectors were known from before. */
  readonly reused: number
  readonly embedMs: number
}

/** Gives every window its vector; one that the context has already is not computed again. */
export class WindowEmbedder {
  readonly #storage: Storage
  readonly #index: VectorIndex
  readonly #model: EmbeddingModel
  readonly #contextId: number
  readonly #collection: VectorCollection

  constructor(
    storage: Storage,
    index: VectorIndex,
    model: EmbeddingModel,
    contextId: number,
    collection: VectorCollection,
  ) {
    this.#storage = storage
    this.#index = index
    this.#model = model
    this.#contextId = contextId
    this.#collection = collection
  }

  async embed(batch: ChunkBatch, signal: AbortSignal): Promise<EmbeddedBatch> {
    const began = performance.now()
    const { dimensions } = this.#collection
    const chunks = await Promise.all(batch.chunks.map((chunk) => this.toNewChunk(chunk)))
    const texts = new Map<string, string>()
    for (const { content, windows } of chunks) {
      for (const { start, end, hash } of windows) texts.set(hash, content.slice(start, end))
    }
    const known = await this.#known([...texts.keys()])
    const tokenizer = await this.#model.tokenizer()
    const missing = [...texts.keys()].filter((hash) => !known.has(hash))
    const slice = new TimeSlice()
    const readable: string[] = []
    for (const hash of missing) {
      readable.push(tokenizer.readable(texts.get(hash) ?? ''))
      await slice.breathe()
    }
    const made = await this.#model.embed(readable, { kind: 'passage', signal })
    missing.forEach((hash, row) => known.set(hash, made.subarray(row * dimensions, (row + 1) * dimensions)))

    const hashes = chunks.flatMap(({ windows }) => windows.map(({ hash }) => hash))
    const vectors = new Float32Array(hashes.length * dimensions)
    hashes.forEach((hash, row) => {
      vectors.set(known.get(hash) ?? [], row * dimensions)
    })
    const embedMs = performance.now() - began
    return { chunks, vectors, windowCount: hashes.length, reused: hashes.length - missing.length, embedMs }
  }

  /** A chunk with the hashes that name it and its windows. */
  async toNewChunk(chunk: Chunk): Promise<NewChunk> {
    const { ordinal, start, text, tokens } = chunk
    const { fingerprint } = this.#model.profile
    const windows = chunk.windows.map(async (window): Promise<WindowRecord> => {
      return { ...window, hash: await hashText(fingerprint, text.slice(window.start, window.end)) }
    })
    return {
      ordinal,
      content: text,
      start,
      tokens,
      hash: await hashText(fingerprint, text),
      windows: await Promise.all(windows),
    }
  }

  async #known(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
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
