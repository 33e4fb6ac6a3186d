import type { ChunkKey, VisibleChunk } from '../ports/index.js'
import type { RankedChunk } from './best-windows.js'

/** A chunk that was found (specification, Search result). */
export interface SearchResult {
  /** Id of the chunk. */
  readonly id: number
  /** Id of its document. */
  readonly docId: number
  /** The chunk's text, a verbatim slice of the document's. */
  readonly content: string
  /** Cosine similarity of prompt and chunk, 0 to 1. */
  readonly similarity: number
}

/** A chunk that was found, without its text. */
export interface SizedChunk extends RankedChunk {
  /** Size of its text in UTF-8. */
  readonly sizeBytes: number
}

/** Texts held for a reader who may be slow: about one chunk of those that are large. */
const BYTES_AT_ONCE = 65_536

/**
 * Reads the texts of chunks as they are asked for, at most 64 kB at once unless one has more. A chunk that is gone
 * by then is left out.
 */
export async function* readResults(
  found: readonly SizedChunk[],
  read: (keys: readonly ChunkKey[]) => Promise<readonly VisibleChunk[]>,
): AsyncGenerator<SearchResult> {
  for (const part of partsOf(found)) yield* toResults(part, await read(part))
}

/** Results in the order of `ranked`. Chunks without a record, or whose text was not read, are left out. */
export function toResults(ranked: readonly RankedChunk[], records: readonly VisibleChunk[]): SearchResult[] {
  const byName = new Map(records.map((record) => [nameOf(record), record]))
  return ranked.flatMap((chunk) => {
    const record = byName.get(nameOf(chunk))
    if (record === undefined || record.content === null) return []
    return [{ id: record.id, docId: record.documentId, content: record.content, similarity: chunk.similarity }]
  })
}

/** Chunks in their order, with the sizes of their texts. */
export function toSizes(ranked: readonly RankedChunk[], records: readonly VisibleChunk[]): SizedChunk[] {
  const sizes = new Map(records.map((record) => [nameOf(record), record.sizeBytes]))
  return ranked.map(({ documentId, ordinal, similarity }) => {
    return { documentId, ordinal, similarity, sizeBytes: sizes.get(nameOf({ documentId, ordinal })) ?? 0 }
  })
}

export function nameOf({ documentId, ordinal }: ChunkKey): string {
  return `${documentId}:${ordinal}`
}

function* partsOf(found: readonly SizedChunk[]): Generator<readonly SizedChunk[]> {
  let part: SizedChunk[] = []
  let bytes = 0
  for (const chunk of found) {
    if (part.length > 0 && bytes + chunk.sizeBytes > BYTES_AT_ONCE) {
      yield part
      part = []
      bytes = 0
    }
    part.push(chunk)
    bytes += chunk.sizeBytes
  }
  if (part.length > 0) yield part
}
