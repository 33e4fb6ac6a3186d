/** Storage on knex: SQLite, and PostgreSQL. */
export { KnexStorage, type KnexStorageOptions } from './knex-storage.js'
export { openSqlite } from './open-sqlite.js'
