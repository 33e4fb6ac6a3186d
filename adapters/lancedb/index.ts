/** VectorIndex on LanceDB. */
export type { LanceDbOptions, LanceOptions } from './lance-options.js'
export { LanceDbVectorIndex } from './lancedb-vector-index.js'
