import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Makes e-mail addresses unique within a company. The index begins with the address, to find its users in all
 * companies.
 */
export function identities(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.alterTable(name('users'), (table) => {
    table.dropUnique(['email_key'])
    table.unique(['email_key', 'company_id'])
  })
}
