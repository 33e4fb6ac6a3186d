import type { Knex } from 'knex'
import type { Dialect } from '../dialect.js'
import type { NameTable } from '../tables.js'

/** SQL conditions of versions. A statement that repeats one word for word can use its partial index. */
export const IS_CURRENT = 'deleted is null and replaces is null'
export const IS_REPLACEMENT = 'deleted is null and replaces is not null and generation is null'
export const IS_LATER = 'deleted is null and public_id <> id'
export const IS_SHADOW = 'deleted is null and generation is not null'
export const IS_UNCOMPLETED_SHADOW: string = `${IS_SHADOW} and completed is null`
export const IS_FORMER = 'deleted is not null and generation is not null'
/** The versions that a search must not find, without those of another generation: no search of this one meets them. */
export const IS_HIDDEN = 'generation is null and (completed is null or deleted is not null)'
const IS_OWNER_OF_UUID = 'deleted is null and generation is null'

/**
 * Adds versions, names and metadata of documents, the pages, headings and white space of chunks, and the generations of
 * contexts. Chunks that exist already have no pages, headings and white space until their document is processed again.
 */
export function livingDocuments(schema: Knex.SchemaBuilder, name: NameTable, dialect: Dialect): Knex.SchemaBuilder {
  // SQLite always compares texts by their bytes.
  const textType = dialect.hasOneWriter ? 'text' : 'text collate "C"'
  const [contexts, documents, chunks, metadata] = [
    name('contexts'),
    name('documents'),
    name('chunks'),
    name('metadata'),
  ]
  return (
    schema
      .alterTable(contexts, (table) => {
        table.bigInteger('generation').notNullable().defaultTo(0)
        table.bigInteger('last_generation').notNullable().defaultTo(0)
        table.text('reindexing')
      })
      .raw(`create index "${contexts}_reindexing" on "${contexts}" (id) where reindexing is not null`)
      .alterTable(documents, (table) => {
        // Null only between the two statements that insert the first version: then it becomes the version's own id.
        table.bigInteger('public_id')
        table.bigInteger('replaces')
        table.bigInteger('generation')
        table.text('display_name')
        table.text('metadata').notNullable().defaultTo('{}')
        // Versions of several generations may have one file.
        table.dropUnique(['uuid'])
        table.index(['uuid'])
      })
      .raw(`update "${documents}" set public_id = id`)
      // Pages the documents of a context, counts them and sums its used quota, without reading the rows.
      .raw(`drop index "${documents}_live"`)
      .raw(`create index "${documents}_live" on "${documents}" (context_id, public_id, size_bytes) where ${IS_CURRENT}`)
      // At most one current version and one replacement of each document.
      .raw(`create unique index "${documents}_current" on "${documents}" (public_id) where ${IS_CURRENT}`)
      .raw(
        `create unique index "${documents}_replacements" on "${documents}" (context_id, public_id) where ${IS_REPLACEMENT}`,
      )
      // Finds the versions that have replaced another one, without reading all others.
      .raw(`create index "${documents}_later" on "${documents}" (context_id, id) where ${IS_LATER}`)
      .raw(`create unique index "${documents}_uuid" on "${documents}" (uuid) where ${IS_OWNER_OF_UUID}`)
      // Finds the documents that a search must not find, without reading all others.
      .raw(`drop index "${documents}_hidden"`)
      .raw(`create index "${documents}_hidden" on "${documents}" (context_id) where ${IS_HIDDEN}`)
      // At most one shadow of each version; the shadows of a context, and those that are not completed.
      .raw(`create unique index "${documents}_shadows" on "${documents}" (replaces) where ${IS_SHADOW}`)
      .raw(`create index "${documents}_shaded" on "${documents}" (context_id, id) where ${IS_SHADOW}`)
      .raw(`create index "${documents}_uncompleted" on "${documents}" (context_id, id) where ${IS_UNCOMPLETED_SHADOW}`)
      .raw(`create index "${documents}_former" on "${documents}" (context_id, id) where ${IS_FORMER}`)
      .alterTable(chunks, (table) => {
        table.bigInteger('page_first')
        table.bigInteger('page_last')
        table.text('headings')
        table.text('gap_before')
        table.text('gap_after')
      })
      .createTable(metadata, (table) => {
        table.bigIncrements('id')
        table.bigInteger('document_id').notNullable().references('id').inTable(documents).index()
        table.bigInteger('context_id').notNullable()
        table.text('key').notNullable()
        // The type of the value: string, number or boolean. Each item of a list has a row of its own. An empty list has
        // one row of the type list.
        table.text('type').notNullable()
        // The beginning of a string: an index of PostgreSQL has no room for a long one.
        table.specificType('text', textType)
        // The whole string, if it is longer.
        table.specificType('long_text', textType)
        // A number; 0 or 1 for a boolean.
        table.double('number')
      })
      .raw(`create index "${metadata}_texts" on "${metadata}" (context_id, key, type, text, document_id)`)
      .raw(`create index "${metadata}_numbers" on "${metadata}" (context_id, key, type, number, document_id)`)
  )
}
