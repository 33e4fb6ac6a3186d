import { LruMap } from '../../kernel/lru-map.js'
import type { ChunkKey } from '../../ports/index.js'
import { toMapKey } from './near-chunks.js'

const MAX_CONTEXTS = 10_000
/** Share of a context's count that a search without repeats keeps. */
const DECAY = 0.98

/**
 * Knows how many chunks of a context give the different passages of a list, from its last searches. So a search of a
 * context with many copies finds enough chunks at once, instead of searching a second time.
 */
export class RepeatCounts {
  /** Chunks for each passage, by context; contexts without repeats are not in it. */
  readonly #chunksPerPassage = new LruMap<number, number>(MAX_CONTEXTS)

  /** @param most maximum number of chunks that a search finds for its repeats */
  constructor(private readonly most: number) {}

  /** @returns the number of chunks to find first for `topN` passages: one more at least, which may be in the list */
  wanted(contextId: number, topN: number): number {
    const chunks = Math.ceil(topN * (this.#chunksPerPassage.get(contextId) ?? 1))
    return Math.max(topN + 1, Math.min(this.most, chunks))
  }

  /**
   * @param ranked the chunks that a search found, the best first
   * @param distinct those of them that it kept, in the same order
   */
  learn(contextId: number, ranked: readonly ChunkKey[], distinct: readonly ChunkKey[], topN: number): void {
    const next = distinct[topN]
    const at = next === undefined ? ranked.length : ranked.findIndex((chunk) => toMapKey(chunk) === toMapKey(next))
    const before = this.#chunksPerPassage.get(contextId) ?? 0
    const chunksPerPassage = Math.max((at + 1) / topN, DECAY * before)
    if (topN * chunksPerPassage > topN + 1) this.#chunksPerPassage.set(contextId, chunksPerPassage)
    else this.#chunksPerPassage.delete(contextId)
  }
}
