import type { Knex } from 'knex'
import type { Dialect } from './dialect.js'
import { initial } from './migrations/0001-initial.js'
import { livingDocuments } from './migrations/0002-living-documents.js'
import { hostLogins } from './migrations/0003-host-logins.js'
import { webhookSettings } from './migrations/0004-webhook-settings.js'
import { traces } from './migrations/0005-traces.js'
import { documentLists } from './migrations/0006-document-lists.js'
import { textQuota } from './migrations/0007-text-quota.js'
import { makers } from './migrations/0008-makers.js'
import { jobWaits } from './migrations/0009-job-waits.js'
import type { NameTable } from './tables.js'

/** One step from a version of the schema to the next. A released migration never changes. */
export type Migration = (
  schema: Knex.SchemaBuilder,
  name: NameTable,
  dialect: Dialect,
  transaction: Knex.Transaction,
) => PromiseLike<unknown>

/** All migrations in their order. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  livingDocuments,
  hostLogins,
  webhookSettings,
  traces,
  documentLists,
  textQuota,
  makers,
  jobWaits,
]

/**
 * The version that the first migration makes; each later one adds 1. Before the first release, fifteen steps made the
 * schema that is now the first. They recorded this number, so a database with all of them needs nothing. Databases of
 * fewer steps have a lower number, and no migration leads from there.
 */
export const FIRST_VERSION = 15

/** The version of the schema that this engine works on. */
export const SCHEMA_VERSION: number = FIRST_VERSION + MIGRATIONS.length - 1
