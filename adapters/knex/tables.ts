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

/** Gives a table its full name: with the prefix that keeps it apart from a host's own. */
export type NameTable = (table: TableName) => string

/** A prefix is part of identifiers, so only plain letters, digits and `_` may be in it. */
export const TABLE_PREFIX_PATTERN: RegExp = /^[a-z_][a-z0-9_]{0,30}$/i

/** A table's full name in a statement that is not built by knex, or as a value that is read as an identifier. */
export function quoted(name: string): string {
  return `"${name}"`
}
