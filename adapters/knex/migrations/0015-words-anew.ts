import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** Words are kept in another kind of index: those of all documents are indexed again, in the background. */
export function wordsAnew(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.raw(`update "${name('documents')}" set words_version = null`)
}
