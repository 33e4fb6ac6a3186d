import type { VectorRows } from '../../src/ports/index.js'
import type { Addition } from './addition.js'
import { loadArrowRows } from './load-arrow-rows.js'

/** Rows of one document, to be added. */
export function vectorAddition(rows: VectorRows, dimensions: number): Addition {
  return {
    rows: rows.chunks.length,
    bytes: rows.vectors.byteLength,
    layout: dimensions,
    toBatch: async (columns) => (await loadArrowRows()).toBatch(rows, dimensions, columns),
  }
}
