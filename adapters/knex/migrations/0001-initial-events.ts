import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** SQL condition of the deliveries that are still to be made. */
export const IS_OPEN = "status in ('pending', 'delivering')"

/** SQL condition of the destinations that name a type of document events. A statement repeats it word for word. */
export const NAMES_DOCUMENTS = 'names_documents and deleted is null'

/** Creates the tables of jobs, of events and their deliveries, and of the audit trail. */
export function initialEvents(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return audit(attemptedDeliveries(events(jobs(schema, name), name), name), name)
}

function jobs(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.createTable(name('jobs'), (table) => {
    table.bigIncrements('id')
    table.text('kind').notNullable()
    table.bigInteger('subject').notNullable()
    table.bigInteger('due_ms').notNullable()
    table.bigInteger('lease_expires_ms').notNullable()
    table.bigInteger('fencing_token').notNullable()
    table.bigInteger('failures').notNullable()
    // The number of claims since the last recorded progress or failure.
    table.bigInteger('claims').notNullable().defaultTo(0)
    table.bigInteger('lane').notNullable().defaultTo(0)
    table.bigInteger('company_id').notNullable().defaultTo(0)
    // The trace that the job continues.
    table.text('traceparent')
    // The latest wait, by which waits are bounded when the clock of the database is set back.
    table.bigInteger('wait_ms').notNullable().defaultTo(0)
    table.unique(['kind', 'subject'])
    table.index(['kind', 'lane', 'due_ms'])
  })
}

function events(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const destinations = name('destinations')
  return (
    schema
      .createTable(destinations, (table) => {
        table.bigIncrements('id')
        table.bigInteger('company_id').notNullable().references('id').inTable(name('companies'))
        table.text('url').notNullable()
        table.text('name')
        table.text('event_types')
        table.boolean('include_descendants').notNullable()
        table.text('sealed_secret').notNullable()
        table.text('created').notNullable()
        table.text('updated').notNullable()
        table.text('deleted')
        table.text('signature_scheme').notNullable().defaultTo('service')
        table.text('retry').notNullable().defaultTo('standard')
        table.text('previous_sealed_secret')
        table.text('previous_secret_expires')
        table.text('disabled_reason')
        table.text('failing_since')
        table.text('failure_reported')
        table.boolean('names_documents').notNullable().defaultTo(false)
        table.bigInteger('maker_id')
        table.text('sight').notNullable().defaultTo('user')
      })
      .raw(`create unique index "${destinations}_url" on "${destinations}" (company_id, url) where deleted is null`)
      // Every completed document asks if such a destination exists. Usually there is none.
      .raw(`create index "${destinations}_documents" on "${destinations}" (id) where ${NAMES_DOCUMENTS}`)
      .raw(
        `create index "${destinations}_secrets" on "${destinations}" (previous_secret_expires) where previous_secret_expires is not null`,
      )
      .createTable(name('events'), (table) => {
        table.bigIncrements('id')
        table.text('event_id').notNullable().unique()
        table.bigInteger('company_id').notNullable().references('id').inTable(name('companies'))
        table.text('type').notNullable()
        table.binary('payload').notNullable()
        table.text('payload_hash').notNullable()
        table.text('created').notNullable().index()
      })
  )
}

function attemptedDeliveries(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const deliveries = name('deliveries')
  return (
    schema
      .createTable(deliveries, (table) => {
        table.bigIncrements('id')
        table.bigInteger('event_row').notNullable().references('id').inTable(name('events')).index()
        table.text('event_id').notNullable()
        table.text('type').notNullable()
        table.bigInteger('destination_id').notNullable().references('id').inTable(name('destinations'))
        table.bigInteger('company_id').notNullable()
        table.text('status').notNullable()
        table.bigInteger('http_status')
        table.bigInteger('attempt_count').notNullable()
        table.text('error')
        table.text('reason')
        table.bigInteger('resend_of')
        table.text('created').notNullable()
        table.text('updated').notNullable()
        table.text('traceparent')
        table.index(['company_id', 'id'])
      })
      // A partial index of open deliveries. An index of all would have the entries of each destination on pages of
      // their own.
      .raw(`create index "${deliveries}_open" on "${deliveries}" (destination_id) where ${IS_OPEN}`)
      .createTable(name('attempts'), (table) => {
        table.bigIncrements('id')
        table.bigInteger('delivery_id').notNullable().references('id').inTable(deliveries).index()
        table.text('outcome')
        table.bigInteger('http_status')
        table.text('error')
        table.text('reason')
        table.text('response_body')
        table.text('started').notNullable()
        table.bigInteger('duration_ms')
      })
  )
}

/** The audit trail has no foreign keys, as its entries outlive the rows that they name. */
function audit(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.createTable(name('audit'), (table) => {
    table.bigIncrements('id')
    table.text('time').notNullable().index()
    table.text('action').notNullable()
    table.text('outcome').notNullable()
    table.bigInteger('company_id')
    table.text('actor_kind').notNullable()
    table.bigInteger('actor_user_id')
    table.bigInteger('actor_company_id')
    table.text('client_id')
    table.text('remote_address')
    table.text('request_id')
    table.text('target_type').notNullable()
    table.bigInteger('target_id')
    table.text('details').notNullable()
    table.index(['company_id', 'id'])
    table.index(['action', 'id'])
    table.index(['actor_user_id', 'id'])
  })
}
