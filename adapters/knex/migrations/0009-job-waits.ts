import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import { type NameTable, quoted } from '../tables.js'

/** Adds the latest wait of a job, so that a wait is bounded when the clock of the database is set back. */
export async function jobWaits(
  schema: Knex.SchemaBuilder,
  name: NameTable,
  { nowMs }: Dialect,
  transaction: Knex.Transaction,
): Promise<void> {
  await schema.alterTable(name('jobs'), (table) => {
    table.bigInteger('wait_ms').notNullable().defaultTo(0)
  })
  await transaction.raw(`update ${quoted(name('jobs'))} set wait_ms = due_ms - ${nowMs} where due_ms > ${nowMs}`)
}
