import type { VisibleChunk, WindowRecord } from '../../ports/index.js'
import { type RankedChunk, toMapKey } from './near-chunks.js'

/** A found chunk with the window that is nearest in meaning: its passage. */
interface Placed extends RankedChunk {
  /** `undefined` if the window is not stored. */
  readonly nearest: Pick<WindowRecord, 'start' | 'end' | 'hash'> | undefined
}

/** A chunk that stands for others with the same passage. */
export interface Collapsed {
  /** Number of further chunks with the same passage that the search found and left out. */
  readonly collapsed?: number
}

/** Share of the shorter of two passages that both have, from which on they are one. */
const MIN_SHARED = 0.5

/**
 * Leaves out chunks whose passage a better chunk has: chunks with the same text, and chunks of one document whose nearest
 * windows overlap by more than half.
 *
 * @param ranked the best first
 * @returns the best chunk of each passage, in the same order
 */
export function withoutRepeats<Chunk extends Placed>(
  ranked: readonly Chunk[],
  records: readonly VisibleChunk[],
): (Chunk & Collapsed)[] {
  const recordByKey = new Map(records.map((record) => [toMapKey(record), record]))
  const kept: { readonly chunk: Chunk; readonly of: PassageKey; more: number }[] = []
  for (const chunk of ranked) {
    const of = passageOf(chunk, recordByKey.get(toMapKey(chunk)))
    const first = kept.find((other) => isSame(other.of, of))
    if (first === undefined) kept.push({ chunk, of, more: 0 })
    else first.more += 1
  }
  return kept.map(({ chunk, more }) => (more === 0 ? chunk : { ...chunk, collapsed: more }))
}

/** The properties that tell passages apart. */
interface PassageKey {
  readonly documentId: number
  /** Equal for chunks with the same text; `undefined` if nothing is known of it. */
  readonly text: string | undefined
  /** Place of the passage in the text of the document. */
  readonly start: number
  readonly end: number
}

function passageOf({ documentId, nearest }: Placed, record: VisibleChunk | undefined): PassageKey {
  // Not all contents are read. Chunks of one size with the same nearest window have the same text in all likelihood.
  const text = nearest && record && `${nearest.hash} ${record.sizeBytes}`
  const start = record?.start ?? 0
  return { documentId, text, start: start + (nearest?.start ?? 0), end: start + (nearest?.end ?? 0) }
}

function isSame(one: PassageKey, other: PassageKey): boolean {
  if (one.text !== undefined && one.text === other.text) return true
  if (one.documentId !== other.documentId) return false
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start)
  return shared > MIN_SHARED * Math.min(one.end - one.start, other.end - other.start)
}
