import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import type { NameTable } from '../tables.js'

/** SQL condition of the destinations that name a type of document events. A statement repeats it word for word. */
export const NAMES_DOCUMENTS = 'names_documents and deleted is null'

/**
 * Adds to destinations: the signature scheme, the schedule of retries, the previous secret, and the state of failures.
 * Mails can be about a destination.
 */
export function webhookSettings(schema: Knex.SchemaBuilder, name: NameTable, _dialect: Dialect): Knex.SchemaBuilder {
  const destinations = name('destinations')
  return (
    schema
      .alterTable(destinations, (table) => {
        table.text('signature_scheme').notNullable().defaultTo('service')
        table.text('retry').notNullable().defaultTo('standard')
        table.text('previous_sealed_secret')
        table.text('previous_secret_expires')
        table.text('disabled_reason')
        table.text('failing_since')
        table.text('failure_reported')
        table.boolean('names_documents').notNullable().defaultTo(false)
      })
      // Every completed document asks if such a destination exists. Usually there is none.
      .raw(`create index "${destinations}_documents" on "${destinations}" (id) where ${NAMES_DOCUMENTS}`)
      .raw(
        `create index "${destinations}_secrets" on "${destinations}" (previous_secret_expires) where previous_secret_expires is not null`,
      )
      .alterTable(name('mails'), (table) => {
        table.bigInteger('destination_id')
      })
  )
}
