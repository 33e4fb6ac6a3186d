import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** How often a job was taken since anything of it was recorded. */
export function claims(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.alterTable(name('jobs'), (table) => {
    table.integer('claims').notNullable().defaultTo(0)
  })
}
