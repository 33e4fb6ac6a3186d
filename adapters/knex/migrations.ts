import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'
import { initial } from './migrations/0001-initial.js'
import type { NameTable } from './tables.js'

/** One step from a version of the schema to the next. A released migration never changes. */
export type Migration = (
  schema: Knex.SchemaBuilder,
  name: NameTable,
  dialect: Dialect,
  transaction: Knex.Transaction,
) => PromiseLike<unknown>

/** All migrations in their order. */
export const MIGRATIONS: readonly Migration[] = [initial]

/**
 * The version that the first migration makes; each later one adds 1. Databases with lower versions are of the time
 * before the first release, and no migration leads from there.
 */
export const FIRST_VERSION = 101

/** The version of the schema that this engine works on. */
export const SCHEMA_VERSION: number = FIRST_VERSION + MIGRATIONS.length - 1
