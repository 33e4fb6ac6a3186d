/** VectorIndex on LanceDB. */
export { LanceDbVectorIndex } from './lancedb-vector-index.js'
