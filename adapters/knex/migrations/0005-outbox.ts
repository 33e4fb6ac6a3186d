import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** SQL condition of the deliveries that are still to be made. */
export const IS_OPEN = "status in ('pending', 'delivering')"

/** Adds lanes of jobs, destinations, events, deliveries and their attempts. */
export function outbox(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return deliveries(destinations(lanes(schema, name), name), name)
}

function lanes(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.alterTable(name('jobs'), (table) => {
    table.bigInteger('lane').notNullable().defaultTo(0)
    table.integer('company_id').notNullable().defaultTo(0)
    table.index(['kind', 'lane', 'due_ms'])
    table.dropIndex(['due_ms'])
  })
}

function destinations(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const table = name('destinations')
  return (
    schema
      .createTable(table, (columns) => {
        columns.increments('id')
        columns.integer('company_id').notNullable().references('id').inTable(name('companies'))
        columns.text('url').notNullable()
        columns.text('name')
        columns.text('event_types')
        columns.boolean('include_descendants').notNullable()
        columns.text('sealed_secret').notNullable()
        columns.text('created').notNullable()
        columns.text('updated').notNullable()
        columns.text('deleted')
      })
      // knex cannot build a partial index. The prefix has only letters, digits and _, so the names need no escaping.
      .raw(`create unique index "${table}_url" on "${table}" (company_id, url) where deleted is null`)
  )
}

function deliveries(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return (
    schema
      .createTable(name('events'), (table) => {
        table.bigIncrements('id')
        table.text('event_id').notNullable().unique()
        table.integer('company_id').notNullable().references('id').inTable(name('companies'))
        table.text('type').notNullable()
        table.binary('payload').notNullable()
        table.text('payload_hash').notNullable()
        table.text('created').notNullable().index()
      })
      .createTable(name('deliveries'), (table) => {
        table.bigIncrements('id')
        table.bigInteger('event_row').notNullable().references('id').inTable(name('events')).index()
        table.text('event_id').notNullable()
        table.text('type').notNullable()
        table.integer('destination_id').notNullable().references('id').inTable(name('destinations'))
        table.integer('company_id').notNullable()
        table.text('status').notNullable()
        table.integer('http_status')
        table.integer('attempt_count').notNullable()
        table.text('error')
        table.bigInteger('resend_of')
        table.text('created').notNullable()
        table.text('updated').notNullable()
        table.index(['company_id', 'id'])
      })
      // A partial index of open deliveries. An index of all would have the entries of each destination on pages of
      // their own.
      .raw(`create index "${name('deliveries')}_open" on "${name('deliveries')}" (destination_id) where ${IS_OPEN}`)
      .createTable(name('attempts'), (table) => {
        table.bigIncrements('id')
        table.bigInteger('delivery_id').notNullable().references('id').inTable(name('deliveries')).index()
        table.text('outcome')
        table.integer('http_status')
        table.text('error')
        table.text('response_body')
        table.text('started').notNullable()
        table.integer('duration_ms')
      })
  )
}
