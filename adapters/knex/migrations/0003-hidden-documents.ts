import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Whether a search must not find a document. */
export const IS_HIDDEN = 'completed is null or deleted is not null'

/** Finds the documents that a search must not find without looking at all the others. */
export function hiddenDocuments(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const documents = name('documents')
  // Knex has no other way to say it; the prefix is plain letters, so the names need no escaping.
  return schema.raw(`create index "${documents}_hidden" on "${documents}" (context_id) where ${IS_HIDDEN}`)
}
