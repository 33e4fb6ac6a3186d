import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds the ids that a host's login gives users, and what the tokens of API keys see. Keys of before see the account. */
export function hostLogins(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .alterTable(name('users'), (table) => {
      table.text('external_id')
      // The index begins with the id, to find its users in all companies. Any number of users have none.
      table.unique(['external_id', 'company_id'])
    })
    .alterTable(name('api_keys'), (table) => {
      table.text('sight').notNullable().defaultTo('account')
    })
}
