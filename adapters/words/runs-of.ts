import type { LexicalRows } from '../../src/ports/index.js'

/** Chunks of one document whose ordinals follow each other. */
export interface ChunkRun {
  /** Place of its first chunk among the rows. */
  readonly at: number
  /** Ordinal of its first chunk. */
  readonly chunk: number
  /** Terms of each chunk. */
  readonly lengths: readonly number[]
  /** Terms of all. */
  readonly length: number
}

/** Parts rows into as few runs as there can be. */
export function runsOf({ chunks, terms }: LexicalRows): readonly ChunkRun[] {
  const starts = chunks.flatMap((chunk, at) => (at > 0 && chunk === (chunks[at - 1] ?? 0) + 1 ? [] : [at]))
  return starts.map((at, run) => {
    const lengths = terms.slice(at, starts[run + 1] ?? chunks.length).map((ofChunk) => ofChunk.length)
    return { at, chunk: chunks[at] ?? 0, lengths, length: sumOf(lengths) }
  })
}

export function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}
