/** LexicalIndex as an inverted index in SQL: in PostgreSQL, without any extension, and in SQLite files. */
export { PgLexicalIndex, type PgLexicalOptions } from './postgres/pg-lexical-index.js'
export { SqliteLexicalIndex, type SqliteLexicalOptions } from './sqlite/sqlite-lexical-index.js'
