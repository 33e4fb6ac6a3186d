import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Adds the disabled state of companies, users and roles, and the deletion time of companies, accounts and users. The
 * rows of deleted ones stay, as others refer to them; they have only ids and times.
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
