/** VectorIndex on PostgreSQL with the extension pgvector. */
export { PgVectorIndex, type PgVectorOptions } from './pg-vector-index.js'
export { hasPgVector } from './vector-tables.js'
