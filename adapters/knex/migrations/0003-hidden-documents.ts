import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** SQL condition of the documents that a search must not find. */
export const IS_HIDDEN = 'completed is null or deleted is not null'

/** Adds an index that finds the documents that a search must not find, without reading all others. */
export function hiddenDocuments(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const documents = name('documents')
  // knex cannot build a partial index. The prefix has only letters, digits and _, so the names need no escaping.
  return schema.raw(`create index "${documents}_hidden" on "${documents}" (context_id) where ${IS_HIDDEN}`)
}
