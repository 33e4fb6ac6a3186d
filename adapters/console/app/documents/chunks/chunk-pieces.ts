import type { Chunk } from '../document.js'

/** A part of a text that looks the same everywhere. */
export interface Piece {
  /** Offset in the text of the document. */
  readonly start: number
  readonly text: string
  /** True if the next chunk repeats it. */
  readonly isShared: boolean
  readonly isMarked: boolean
}

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The text of a chunk from the end of the chunk before it, so that chunks one after the other are the text.
 *
 * @param marked the part that a link is about
 */
export function piecesOf(
  { content, start, end }: Chunk,
  previous: Chunk | undefined,
  next: Chunk | undefined,
  marked: Range | undefined,
): readonly Piece[] {
  const begin = clamp(previous?.end ?? start, start, end)
  const sharedFrom = clamp(next?.start ?? end, begin, end)
  const markFrom = clamp(marked?.from ?? end, begin, end)
  const markTo = clamp(marked?.to ?? end, markFrom, end)
  const cuts = [...new Set([begin, sharedFrom, markFrom, markTo, end])].sort((first, second) => first - second)
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index] ?? begin
    return {
      start: from,
      text: content.slice(from - start, to - start),
      isShared: from >= sharedFrom,
      isMarked: marked !== undefined && from >= markFrom && to <= markTo,
    }
  })
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
