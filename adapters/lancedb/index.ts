/** VectorIndex on LanceDB. */
export type { LanceDbOptions } from './lance-options.js'
export { LanceDbVectorIndex } from './lancedb-vector-index.js'
