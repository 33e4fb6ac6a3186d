import type { VectorRows } from '../../src/ports/index.js'

/** One window for each chunk, from chunk 0 on. */
export function vectorRows(documentId: number, vectors: readonly (readonly number[])[]): VectorRows {
  return {
    documentId,
    chunks: Uint32Array.from(vectors, (_, chunk) => chunk),
    windows: new Uint16Array(vectors.length),
    vectors: Float32Array.from(vectors.flat()),
  }
}

/** Windows of one chunk, from window 0 on. */
export function windowRows(documentId: number, chunk: number, vectors: readonly (readonly number[])[]): VectorRows {
  return {
    documentId,
    chunks: new Uint32Array(vectors.length).fill(chunk),
    windows: Uint16Array.from(vectors, (_, window) => window),
    vectors: Float32Array.from(vectors.flat()),
  }
}
