import type { ChunkKey, EmbeddingModel, Storage } from '../ports/index.js'
import type { FairTurns, TurnTaker } from '../shared/fair-turns.js'
import { clamp, type NearChunk, nameOf } from './best-windows.js'

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
    const unknown = keys.filter((key) => !this.#known.has(nameOf(key)))
    const windows = firstOf(await Promise.all(unknown.map(async (key) => await this.#windowsOf(key))))
    const vectors = await this.#embed(windows, taker, signal)
    vectors.forEach((vector, at) => {
      for (const query of queries) this.#note(windows[at], clamp(cosine(vector, query)))
    })
    return keys.flatMap((key) => this.#known.get(nameOf(key)) ?? [])
  }

  async #windowsOf({ documentId, ordinal }: ChunkKey): Promise<readonly ChunkWindow[]> {
    const [chunk] = await this.#storage.read(({ chunks }) => chunks.page(documentId, { ordinal, limit: 1 }))
    if (chunk?.ordinal !== ordinal) return []
    const tokenizer = await this.#model.tokenizer()
    return chunk.windows.map(({ start, end }, window) => {
      return { documentId, ordinal, window, text: tokenizer.readable(chunk.content.slice(start, end)) }
    })
  }

  async #embed(
    windows: readonly ChunkWindow[],
    taker: TurnTaker,
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[]> {
    const { dimensions } = this.#model.profile
    const parts: string[][] = []
    for (let at = 0; at < windows.length; at += WINDOWS_PER_CALL) {
      parts.push(windows.slice(at, at + WINDOWS_PER_CALL).map(({ text }) => text))
    }
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

  #note(of: ChunkWindow | undefined, similarity: number): void {
    if (of === undefined) return
    const { documentId, ordinal, window } = of
    const known = this.#known.get(nameOf(of))
    if (known !== undefined && known.similarity >= similarity) return
    this.#known.set(nameOf(of), { documentId, ordinal, window, similarity })
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
interface ChunkWindow extends ChunkKey {
  readonly window: number
  readonly text: string
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
