/** VectorIndex and LexicalIndex on LanceDB. */
export type { LanceDbOptions, LanceOptions } from './lance-options.js'
export { LanceDbLexicalIndex } from './lancedb-lexical-index.js'
export { LanceDbVectorIndex } from './lancedb-vector-index.js'
