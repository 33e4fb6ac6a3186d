import type { VectorRows } from '../../src/ports/index.js'
import { addChunkKey } from './add-chunk-key.js'
import type { Addition } from './addition.js'
import { CHUNK_KEY } from './document-predicates.js'
import { loadArrowRows } from './load-arrow-rows.js'
import { PLAN_SUFFIX } from './search-plan.js'
import { dimensionsOf, VECTOR_INDEX } from './table-facts.js'
import type { TableKind } from './table-kind.js'

/** Share of rows that the vector index may not have yet. */
const MAX_UNINDEXED_SHARE = 0.02
const MAX_UNINDEXED_ROWS = 2_000
const BYTES_PER_COMPONENT = 4

/** Tables of vectors. */
export const VECTOR_TABLES: TableKind = {
  searchIndex: VECTOR_INDEX,
  maxUnindexed: (rows) => Math.max(MAX_UNINDEXED_ROWS, rows * MAX_UNINDEXED_SHARE),
  lookUpColumns: ['document', CHUNK_KEY],
  filesBeside: [PLAN_SUFFIX],
  bytesPerRow: async (table) => (await dimensionsOf(table)) * BYTES_PER_COMPONENT,
  upgrade: addChunkKey,
}

/** Rows of one document, to be added. */
export function vectorAddition(rows: VectorRows, dimensions: number): Addition {
  return {
    rows: rows.chunks.length,
    bytes: rows.vectors.byteLength,
    layout: dimensions,
    toBatch: async (columns) => (await loadArrowRows()).toBatch(rows, dimensions, columns),
  }
}
