import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import type { NameTable } from '../tables.js'
import { initialDocuments } from './0001-initial-documents.js'
import { initialEvents } from './0001-initial-events.js'

/**
 * Creates the tables of the first release. All integers have 64 bits, which they always have on SQLite.
 *
 * knex cannot build a partial index. The prefix of a table has only letters, digits and `_`, so the names in raw
 * statements need no escaping.
 */
export function initial(schema: Knex.SchemaBuilder, name: NameTable, dialect: Dialect): Knex.SchemaBuilder {
  // SQLite always compares texts by their bytes.
  const sortedText = dialect.hasOneWriter ? 'text' : 'text collate "C"'
  return initialEvents(initialDocuments(signIn(tenancy(schema, name), name), name, sortedText), name)
}

function tenancy(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .createTable(name('settings'), (table) => {
      table.text('key').primary()
      table.text('value').notNullable()
    })
    .createTable(name('companies'), (table) => {
      table.bigIncrements('id')
      table.text('name').notNullable()
      table.bigInteger('parent_id').references('id').inTable(name('companies')).index()
      table.text('created').notNullable()
      table.boolean('is_disabled').notNullable().defaultTo(false)
      table.text('deleted')
      table.bigInteger('login_epoch').notNullable().defaultTo(0)
    })
    .createTable(name('regions'), (table) => {
      table.bigIncrements('id')
      table.text('name').notNullable().unique()
    })
    .createTable(name('accounts'), (table) => {
      table.bigIncrements('id')
      table.bigInteger('company_id').notNullable().references('id').inTable(name('companies')).index()
      table.text('application').notNullable()
      table.bigInteger('region_id').notNullable().references('id').inTable(name('regions'))
      table.text('name').notNullable()
      table.boolean('is_active').notNullable()
      table.text('created').notNullable()
      table.text('deleted')
    })
    .createTable(name('roles'), (table) => {
      table.bigIncrements('id')
      table.bigInteger('company_id').references('id').inTable(name('companies')).index()
      table.text('name').notNullable()
      table.text('applications').notNullable()
      table.text('capabilities').notNullable()
      table.boolean('is_disabled').notNullable().defaultTo(false)
    })
    .createTable(name('users'), (table) => {
      table.bigIncrements('id')
      table.bigInteger('company_id').notNullable().references('id').inTable(name('companies')).index()
      table.text('email').notNullable()
      table.text('email_key').notNullable()
      table.text('first_name').notNullable()
      table.text('last_name').notNullable()
      table.text('name').notNullable()
      table.text('created').notNullable()
      table.text('last_access')
      table.text('password_hash')
      table.boolean('is_disabled').notNullable().defaultTo(false)
      table.text('deleted')
      table.text('external_id')
      table.bigInteger('login_epoch').notNullable().defaultTo(0)
      // The indexes begin with the address and the id of the host's login, to find their users in all companies.
      table.unique(['email_key', 'company_id'])
      table.unique(['external_id', 'company_id'])
    })
    .createTable(name('permissions'), (table) => {
      table.bigIncrements('id')
      table.bigInteger('user_id').notNullable().references('id').inTable(name('users'))
      table.bigInteger('account_id').notNullable().references('id').inTable(name('accounts')).index()
      table.bigInteger('role_id').notNullable().references('id').inTable(name('roles'))
      table.boolean('is_disabled').notNullable()
      table.text('created').notNullable()
      table.text('created_by').notNullable()
      table.text('last_access')
      table.unique(['user_id', 'account_id'])
    })
}

function signIn(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const apiKeys = name('api_keys')
  return (
    schema
      .createTable(apiKeys, (table) => {
        table.bigIncrements('id')
        table.text('client_id').notNullable().unique()
        table.text('secret_hash').notNullable()
        table.bigInteger('company_id').notNullable().references('id').inTable(name('companies'))
        table.bigInteger('user_id').notNullable().references('id').inTable(name('users'))
        table.text('targets').notNullable()
        table.text('created').notNullable()
        table.text('expires')
        table.text('last_used')
        table.text('revoked')
        table.text('sight').notNullable().defaultTo('account')
        table.bigInteger('maker_id')
      })
      // Counts the API keys of a company without reading the rows.
      .raw(`create index "${apiKeys}_unrevoked" on "${apiKeys}" (company_id) where revoked is null`)
      .createTable(name('revoked_tokens'), (table) => {
        table.text('token_hash').primary()
        table.bigInteger('expires_ms').notNullable().index()
      })
      .createTable(name('password_tokens'), (table) => {
        table.text('token_hash').primary()
        table.bigInteger('user_id').notNullable().references('id').inTable(name('users')).index()
        table.text('expires').notNullable().index()
      })
      .createTable(name('mails'), (table) => {
        table.bigIncrements('id')
        table.bigInteger('user_id').notNullable().references('id').inTable(name('users'))
        table.text('purpose').notNullable()
        table.text('created').notNullable()
        table.bigInteger('destination_id')
      })
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
      .createTable(name('rates'), (table) => {
        table.text('name').primary()
        table.bigInteger('ends_ms').notNullable().index()
        table.bigInteger('count').notNullable()
      })
  )
}
