import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Adds indexes that count and page the rows of a company, and sum the used quota of a context, without reading the
 * rows.
 */
export function liveRows(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const [contexts, documents, apiKeys] = [name('contexts'), name('documents'), name('api_keys')]
  return schema
    .raw(`create index "${contexts}_live" on "${contexts}" (account_id, id) where deleted is null`)
    .raw(`create index "${documents}_live" on "${documents}" (context_id, id, size_bytes) where deleted is null`)
    .raw(`create index "${apiKeys}_unrevoked" on "${apiKeys}" (company_id) where revoked is null`)
}
