/** LexicalIndex on PostgreSQL, without any extension. */
export { PgLexicalIndex, type PgLexicalOptions } from './pg-lexical-index.js'
