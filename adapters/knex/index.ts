/** Storage on knex: SQLite, and PostgreSQL. */
export { openPostgres, openSqlite, type PostgresOptions } from './connections.js'
export { DatabaseCopy, type DatabaseCopyOptions, MIGRATION_SETTING } from './database-copy.js'
export { isPostgres } from './dialect.js'
export { KnexStorage, type KnexStorageOptions } from './knex-storage.js'
export { PostgresProcessLocks, type PostgresProcessLocksOptions } from './postgres-process-locks.js'
export {
  requireTables,
  type SnapshotCounts,
  type SnapshotDocument,
  SqliteSnapshot,
  withoutWriters,
} from './sqlite-snapshot.js'
