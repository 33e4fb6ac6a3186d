import { type LanceDbOptions, LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import type { LanceDbLimits } from '../../../adapters/lancedb/lancedb-vector-index.js'

/** A vector index with limits that hosts cannot set. */
export function limitedIndex(place: string, options: LanceDbOptions & LanceDbLimits): LanceDbVectorIndex {
  return new LanceDbVectorIndex(place, options)
}
