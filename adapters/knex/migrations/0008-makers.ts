import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Adds the makers of API keys and destinations, the sight of destinations, and the numbers that end old logins. Nobody
 * knows who made the rows of before: destinations get the smaller sight.
 */
export function makers(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .alterTable(name('api_keys'), (table) => {
      table.bigInteger('maker_id')
    })
    .alterTable(name('destinations'), (table) => {
      table.bigInteger('maker_id')
      table.text('sight').notNullable().defaultTo('user')
    })
    .alterTable(name('users'), (table) => {
      table.bigInteger('login_epoch').notNullable().defaultTo(0)
    })
    .alterTable(name('companies'), (table) => {
      table.bigInteger('login_epoch').notNullable().defaultTo(0)
    })
}
