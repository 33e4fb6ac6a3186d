import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds the trace that a job and a delivery continue. */
export function traces(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .alterTable(name('jobs'), (table) => {
      table.text('traceparent')
    })
    .alterTable(name('deliveries'), (table) => {
      table.text('traceparent')
    })
}
