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
