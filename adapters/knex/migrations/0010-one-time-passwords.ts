import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds sealed secrets of one-time passwords, and hashes of recovery codes. Both are deleted with their user. */
export function oneTimePasswords(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .createTable(name('one_time_passwords'), (table) => {
      table.bigInteger('user_id').primary().references('id').inTable(name('users')).onDelete('CASCADE')
      table.text('secret')
      table.text('pending_secret')
      table.bigInteger('last_step')
    })
    .createTable(name('recovery_codes'), (table) => {
      table.bigInteger('user_id').notNullable().references('id').inTable(name('users')).onDelete('CASCADE')
      table.text('code_hash').notNullable()
      table.primary(['user_id', 'code_hash'])
    })
}
