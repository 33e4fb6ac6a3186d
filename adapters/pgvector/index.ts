/** VectorIndex on PostgreSQL with the extension pgvector. */
export { hasPgVector } from './extension.js'
export { PgVectorIndex, type PgVectorOptions } from './pg-vector-index.js'
