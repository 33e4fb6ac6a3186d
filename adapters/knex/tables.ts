import { StorageError } from '../../src/ports/index.js'

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
  'metadata',
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

/** Quotes a table's full name, for a statement that knex does not build or a value that is read as an identifier. */
export function quoted(name: string): string {
  return `"${name}"`
}

/** A row of a table as the driver gives it, by column. */
export type Row = Readonly<Record<string, unknown>>

/** Reads a number. PostgreSQL gives big integers as strings. */
export function number(row: Row, column: string): number {
  return Number(row[column])
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : Number(row[column])
}

export function text(row: Row, column: string): string {
  return row[column] as string
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

/** Reads a boolean. SQLite gives 0 or 1. */
export function boolean(row: Row, column: string): boolean {
  return Boolean(row[column])
}

/** Reads bytes. The drivers give their own types. */
export function bytes(row: Row, column: string): Uint8Array {
  return new Uint8Array(row[column] as Uint8Array)
}

/**
 * Reads a value that is stored as JSON.
 * @throws StorageError if it is none: only a damaged database has such a text
 */
export function json(row: Row, column: string): unknown {
  try {
    return JSON.parse(text(row, column)) as unknown
  } catch {
    // Without the cause, whose message has a part of the value.
    throw new StorageError(`the database is damaged (a value of ${column} is no JSON); restore it from a backup`, {
      isTransient: false,
    })
  }
}

/** As {@link json}, for a column that may be null. */
export function jsonOrNull(row: Row, column: string): unknown {
  return row[column] === null ? null : json(row, column)
}
