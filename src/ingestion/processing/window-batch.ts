import type { Chunk } from '../chunking/chunker.js'

/** Chunks whose windows are embedded together. */
export interface ChunkBatch {
  readonly chunks: readonly Chunk[]
  readonly windowCount: number
}

/** Groups chunks until they have so many windows or more; the last group may have fewer. */
export async function* batchByWindows(chunks: AsyncIterable<Chunk>, windows: number): AsyncGenerator<ChunkBatch> {
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
