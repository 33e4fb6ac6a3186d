import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds counters of events in windows of time. */
export function rates(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.createTable(name('rates'), (table) => {
    table.text('name').primary()
    table.bigInteger('ends_ms').notNullable().index()
    table.bigInteger('count').notNullable()
  })
}
