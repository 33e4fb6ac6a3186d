/** The engine's tables. */
export const TABLES = [
  'schema',
  'settings',
  'companies',
  'regions',
  'accounts',
  'roles',
  'users',
  'permissions',
  'api_keys',
  'password_tokens',
  'mails',
  'contexts',
  'documents',
  'uploads',
  'chunks',
  'windows',
  'jobs',
  'destinations',
  'events',
  'deliveries',
  'attempts',
  'rates',
  'audit',
  'one_time_passwords',
  'recovery_codes',
  'revoked_tokens',
] as const

/** One of the engine's tables. */
export type TableName = (typeof TABLES)[number]

/** Returns the full name of a table, with the prefix that separates it from the host's tables. */
export type NameTable = (table: TableName) => string

/** The prefix is part of identifiers that are not escaped, so it has only letters, digits and `_`. */
export const TABLE_PREFIX_PATTERN: RegExp = /^[a-z_][a-z0-9_]{0,30}$/i

/** Quotes a table's full name, for a statement that knex does not build or a value that is read as an identifier. */
export function quoted(name: string): string {
  return `"${name}"`
}
