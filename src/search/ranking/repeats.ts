import type { ChunkKey, Storage, VisibleChunk, WindowRecord } from '../../ports/index.js'
import { type RankedChunk, toMapKey } from './near-chunks.js'

/** A found chunk with the window that is nearest in meaning. */
interface Placed extends RankedChunk {
  /** `undefined` if the window is not stored. */
  readonly nearest: Pick<WindowRecord, 'hash'> | undefined
}

/** A chunk that stands for others with the same text. */
export interface Collapsed {
  /** Number of further chunks with the same text that the search found and left out. */
  readonly collapsed?: number
}

/** `copies`: chunks with the same text. `overlaps`: also chunks of one document that overlap. */
export type RepeatKind = 'copies' | 'overlaps'

/** Share of a chunk that a better one has, from which on they count once. */
const MIN_SHARED = 0.4

/** Finds chunks whose text a better chunk has. */
export class Repeats {
  /** @param overlap share of a chunk that the next one of its document repeats */
  constructor(
    private readonly storage: Storage,
    private readonly kind: RepeatKind,
    private readonly overlap: number,
  ) {}

  /**
   * Leaves out chunks with the same text as a better one, and chunks that have more than two fifths in common with one.
   *
   * @param ranked the best first
   * @param most maximum number of texts; chunks behind the last one are not counted
   * @returns the best chunk of each text, in the same order
   */
  async without<Chunk extends Placed>(
    ranked: readonly Chunk[],
    records: readonly VisibleChunk[],
    most: number,
  ): Promise<(Chunk & Collapsed)[]> {
    const texts = await this.#readTexts(ranked, records)
    const kept: { readonly chunk: Chunk; more: number }[] = []
    for (const chunk of ranked) {
      const text = texts.get(toMapKey(chunk))
      const first = kept.find(({ chunk: other }) => {
        return (text !== undefined && texts.get(toMapKey(other)) === text) || this.#overlap(chunk, other)
      })
      if (first === undefined) kept.push({ chunk, more: 0 })
      else first.more += 1
      // However many chunks this search had to find, the numbers of copies are the same.
      if (kept.length >= most) break
    }
    return kept.map(({ chunk, more }) => (more === 0 ? chunk : { ...chunk, collapsed: more }))
  }

  /** @returns strings that are equal for chunks with the same text, without chunks whose text no other one may have */
  async #readTexts(ranked: readonly Placed[], records: readonly VisibleChunk[]): Promise<ReadonlyMap<string, string>> {
    const recordByKey = new Map(records.map((record) => [toMapKey(record), record]))
    const alike = new Map<string, VisibleChunk[]>()
    for (const chunk of ranked) {
      const record = recordByKey.get(toMapKey(chunk))
      if (record === undefined || chunk.nearest === undefined) continue
      const key = `${chunk.nearest.hash} ${record.sizeBytes}`
      alike.set(key, [...(alike.get(key) ?? []), record])
    }
    const texts = new Map<string, string>()
    for (const group of alike.values()) {
      if (group.length === 1) continue
      const isRead = group.every(({ content }) => content !== null)
      for (const record of group) {
        const text = isRead ? record.content : await this.#readHash(record)
        if (text !== undefined && text !== null) texts.set(toMapKey(record), text)
      }
    }
    return texts
  }

  /** Large contents are not read. */
  async #readHash({ documentId, ordinal }: ChunkKey): Promise<string | undefined> {
    const [hash] = await this.storage.read(({ chunks }) => chunks.listHashes(documentId, { ordinal, limit: 1 }))
    return hash
  }

  #overlap(one: ChunkKey, other: ChunkKey): boolean {
    if (this.kind === 'copies' || one.documentId !== other.documentId) return false
    return 1 - Math.abs(one.ordinal - other.ordinal) * (1 - this.overlap) > MIN_SHARED
  }
}
