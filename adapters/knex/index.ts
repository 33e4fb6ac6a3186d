/** Storage on knex: SQLite, and PostgreSQL. */
export { DatabaseCopy, type DatabaseCopyOptions, MIGRATION_SETTING } from './copy/database-copy.js'
export { withoutWriters } from './copy/without-writers.js'
export { isPostgres } from './dialect.js'
export { KnexStorage, type KnexStorageOptions } from './knex-storage.js'
export { openPostgres, type PostgresOptions } from './open-postgres.js'
export { openSqlite } from './open-sqlite.js'
export { PostgresProcessLocks, type PostgresProcessLocksOptions } from './postgres-process-locks.js'
export { requireTables, type SnapshotCounts, type SnapshotDocument, SqliteSnapshot } from './sqlite-snapshot.js'
