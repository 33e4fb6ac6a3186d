import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Adds passwords, the tokens that set them, and mails that wait to be sent. */
export function passwordsAndMails(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .alterTable(name('users'), (table) => {
      table.text('password_hash')
    })
    .createTable(name('password_tokens'), (table) => {
      table.text('token_hash').primary()
      table.integer('user_id').notNullable().references('id').inTable(name('users')).index()
      table.text('expires').notNullable().index()
    })
    .createTable(name('mails'), (table) => {
      table.increments('id')
      table.integer('user_id').notNullable().references('id').inTable(name('users'))
      table.text('purpose').notNullable()
      table.text('created').notNullable()
    })
}
