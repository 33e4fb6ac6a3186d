import type { LexicalRows } from '../../src/ports/index.js'

/** Chunks of one document with consecutive ordinals. */
export interface ChunkRun {
  /** The index of its first chunk among the rows. */
  readonly at: number
  /** The ordinal of its first chunk. */
  readonly chunk: number
  /** The number of terms of each chunk. */
  readonly lengths: readonly number[]
  /** The number of terms of all its chunks. */
  readonly length: number
}

/** Splits rows into the fewest possible runs. */
export function splitIntoRuns({ chunks, terms }: LexicalRows): readonly ChunkRun[] {
  const starts = chunks.flatMap((chunk, at) => (at > 0 && chunk === (chunks[at - 1] ?? 0) + 1 ? [] : [at]))
  return starts.map((at, run) => {
    const lengths = terms.slice(at, starts[run + 1] ?? chunks.length).map((chunkTerms) => chunkTerms.length)
    return { at, chunk: chunks[at] ?? 0, lengths, length: sumOf(lengths) }
  })
}

export function sumOf(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0)
}
