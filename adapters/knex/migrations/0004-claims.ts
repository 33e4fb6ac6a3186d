import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds the number of claims of a job since its last recorded progress or failure. */
export function claims(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.alterTable(name('jobs'), (table) => {
    table.integer('claims').notNullable().defaultTo(0)
  })
}
