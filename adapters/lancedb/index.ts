/** VectorIndex on LanceDB. */
export { type LanceDbOptions, LanceDbVectorIndex } from './lancedb-vector-index.js'
