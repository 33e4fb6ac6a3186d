import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import type { NameTable } from '../tables.js'
import { IS_CURRENT } from './0002-living-documents.js'

/** Adds the part of a document's text that counts in the quota of its context. Documents from before have none. */
export async function textQuota(
  schema: Knex.SchemaBuilder,
  name: NameTable,
  _dialect: Dialect,
  transaction: Knex.Transaction,
): Promise<void> {
  const documents = name('documents')
  await schema.alterTable(documents, (table) => {
    table.bigInteger('excess_bytes').notNullable().defaultTo(0)
  })
  // The sum of a context's quota reads this index alone.
  await transaction.schema
    .raw(`drop index "${documents}_live"`)
    .raw(
      `create index "${documents}_live" on "${documents}" (context_id, public_id, size_bytes, excess_bytes) where ${IS_CURRENT}`,
    )
}
