import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Marks the words of all documents as not indexed, as another kind of index stores them. They are indexed in the
 * background.
 */
export function wordsAnew(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema.raw(`update "${name('documents')}" set words_version = null`)
}
