import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Secrets of one-time passwords, which are sealed, and hashes of recovery codes. They go with their user. */
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
