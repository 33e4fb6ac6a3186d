import type { VectorRows } from '../../src/ports/index.js'
import type { Addition } from './addition.js'
import { loadArrowRows } from './load-arrow-rows.js'

/** Makes the addition of the vectors of one document. */
export function makeVectorAddition(rows: VectorRows, dimensions: number): Addition {
  return {
    rows: rows.chunks.length,
    bytes: rows.vectors.byteLength,
    layout: dimensions,
    toBatch: async (columns) => (await loadArrowRows()).toBatch(rows, dimensions, columns),
  }
}
