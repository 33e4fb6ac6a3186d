import type { Knex } from 'knex'
import { SchemaTooNewError, SchemaTooOldError } from '../../src/ports/index.js'
import type { Dialect } from './dialect.js'
import { FIRST_VERSION, MIGRATIONS, type Migration } from './migrations.js'
import { type NameTable, number, type Row } from './tables.js'

export interface RunMigrationsOptions {
  readonly name: NameTable
  readonly dialect: Dialect
  /** Default: all migrations of this engine. */
  readonly migrations?: readonly Migration[]
}

/**
 * Runs the migrations that a database does not have yet, and records its new version.
 *
 * @param transaction no other transaction sees a part of the work, and nothing of it stays after an error
 * @throws SchemaTooNewError if the database has a version above those of the migrations
 * @throws SchemaTooOldError if the database has a version below the first
 */
export async function runMigrations(
  transaction: Knex.Transaction,
  { name, dialect, migrations = MIGRATIONS }: RunMigrationsOptions,
): Promise<void> {
  const schema = name('schema')
  // `create table if not exists` can fail when two processes run it at once.
  if (!dialect.hasOneWriter) await transaction.raw('select pg_advisory_xact_lock(hashtext(?))', [schema])
  await transaction.raw('create table if not exists ?? (version bigint not null)', [schema])
  const [row]: readonly Row[] = await transaction<Row>(schema).select('version')
  const version = row === undefined ? FIRST_VERSION - 1 : number(row, 'version')
  const newest = FIRST_VERSION + migrations.length - 1
  if (version > newest) {
    throw new SchemaTooNewError(
      `the database has schema version ${version}, this engine knows only ${newest}: use a newer version of alcove`,
    )
  }
  if (row !== undefined && version < FIRST_VERSION) {
    throw new SchemaTooOldError(
      `an unreleased version of alcove made the database (schema version ${version}), and this engine cannot open it: ` +
        'use a new data folder, or an empty database; nothing was changed',
    )
  }
  for (const migration of migrations.slice(version - FIRST_VERSION + 1)) {
    await migration(transaction.schema, name, dialect, transaction)
  }
  if (row === undefined) await transaction(schema).insert({ version: newest })
  else if (version < newest) await transaction(schema).update({ version: newest })
}
