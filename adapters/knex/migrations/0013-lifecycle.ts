import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Companies, users and roles that are disabled; companies, accounts and users that were deleted. Their rows stay, for
 * others refer to them, and hold nothing but ids and times.
 */
export function lifecycle(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .alterTable(name('companies'), (table) => {
      table.boolean('is_disabled').notNullable().defaultTo(false)
      table.text('deleted')
    })
    .alterTable(name('accounts'), (table) => {
      table.text('deleted')
    })
    .alterTable(name('roles'), (table) => {
      table.boolean('is_disabled').notNullable().defaultTo(false)
    })
    .alterTable(name('users'), (table) => {
      table.boolean('is_disabled').notNullable().defaultTo(false)
      table.text('deleted')
    })
}
