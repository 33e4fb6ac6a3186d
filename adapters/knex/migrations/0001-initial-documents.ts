import type { Knex } from 'knex'
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
 * Creates the tables of contexts, documents, their metadata and chunks.
 *
 * @param sortedText type of texts that are compared by their bytes
 */
export function initialDocuments(schema: Knex.SchemaBuilder, name: NameTable, sortedText: string): Knex.SchemaBuilder {
  return chunks(metadata(documents(contexts(schema, name), name, sortedText), name, sortedText), name)
}

function contexts(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const tableName = name('contexts')
  return (
    schema
      .createTable(tableName, (table) => {
        table.bigIncrements('id')
        table.bigInteger('account_id').notNullable().references('id').inTable(name('accounts')).index()
        table.bigInteger('user_id').notNullable().references('id').inTable(name('users'))
        table.text('name').notNullable()
        table.text('description').notNullable()
        table.text('caption').notNullable()
        table.text('tools_json').notNullable()
        table.text('starter_prompts').notNullable()
        table.text('embedding_model').notNullable()
        table.bigInteger('max_size_bytes').notNullable()
        table.bigInteger('top_n').notNullable()
        table.double('score_threshold').notNullable()
        table.bigInteger('chunk_size_tokens').notNullable()
        table.double('overlap').notNullable()
        table.bigInteger('share_state').notNullable()
        table.text('icon')
        table.text('created').notNullable()
        table.text('deleted')
        table.text('search_mode').notNullable().defaultTo('hybrid')
        table.boolean('finds_early').notNullable().defaultTo(true)
        table.bigInteger('generation').notNullable().defaultTo(0)
        table.bigInteger('last_generation').notNullable().defaultTo(0)
        table.text('reindexing')
      })
      // Counts and pages the contexts of an account without reading the rows.
      .raw(`create index "${tableName}_live" on "${tableName}" (account_id, id) where deleted is null`)
      .raw(`create index "${tableName}_reindexing" on "${tableName}" (id) where reindexing is not null`)
  )
}

function documents(schema: Knex.SchemaBuilder, name: NameTable, sortedText: string): Knex.SchemaBuilder {
  const tableName = name('documents')
  const index = (suffix: string, columns: string, condition: string, kind = 'index'): string =>
    `create ${kind} "${tableName}_${suffix}" on "${tableName}" (${columns}) where ${condition}`
  return (
    schema
      .createTable(tableName, (table) => {
        table.bigIncrements('id')
        // Versions of several generations may have one file.
        table.text('uuid').notNullable().index()
        table.bigInteger('context_id').notNullable().references('id').inTable(name('contexts'))
        table.text('original_name').notNullable()
        table.bigInteger('name_index').notNullable()
        table.text('content_type').notNullable()
        table.text('content_hash').notNullable()
        table.bigInteger('size_bytes').notNullable()
        table.bigInteger('chunk_count').notNullable()
        table.text('created').notNullable()
        table.bigInteger('created_by').notNullable()
        table.text('started')
        table.text('completed')
        table.text('error')
        table.text('receipt')
        table.text('deleted')
        table.bigInteger('words_version')
        table.bigInteger('embedded_chunks').notNullable().defaultTo(0)
        // Null only between the two statements that insert the first version: then it becomes the version's own id.
        table.bigInteger('public_id')
        table.bigInteger('replaces')
        table.bigInteger('generation')
        table.text('display_name')
        table.text('metadata').notNullable().defaultTo('{}')
        // The name in the form by which lists find and order documents.
        table.specificType('folded_name', sortedText).notNullable().defaultTo('')
        // The name at the upload, if the other one does not contain it.
        table.specificType('folded_original', sortedText)
        // The part of the text that counts in the quota of the context.
        table.bigInteger('excess_bytes').notNullable().defaultTo(0)
        table.index(['context_id', 'original_name', 'content_hash'])
        table.index(['context_id', 'words_version'])
      })
      // Pages the documents of a context, counts them and sums its used quota, without reading the rows.
      .raw(index('live', 'context_id, public_id, size_bytes, excess_bytes', IS_CURRENT))
      .raw(index('names', 'context_id, folded_name, public_id', IS_CURRENT))
      // At most one current version and one replacement of each document.
      .raw(index('current', 'public_id', IS_CURRENT, 'unique index'))
      .raw(index('replacements', 'context_id, public_id', IS_REPLACEMENT, 'unique index'))
      // Finds the versions that have replaced another one, without reading all others.
      .raw(index('later', 'context_id, id', IS_LATER))
      .raw(index('uuid', 'uuid', IS_OWNER_OF_UUID, 'unique index'))
      // Finds the documents that a search must not find, without reading all others.
      .raw(index('hidden', 'context_id', IS_HIDDEN))
      // At most one shadow of each version; the shadows of a context, and those that are not completed.
      .raw(index('shadows', 'replaces', IS_SHADOW, 'unique index'))
      .raw(index('shaded', 'context_id, id', IS_SHADOW))
      .raw(index('uncompleted', 'context_id, id', IS_UNCOMPLETED_SHADOW))
      .raw(index('former', 'context_id, id', IS_FORMER))
      .createTable(name('uploads'), (table) => {
        table.text('uuid').primary()
        table.bigInteger('context_id').notNullable().index()
        table.bigInteger('size_bytes').notNullable()
        table.bigInteger('expires_ms').notNullable()
      })
  )
}

function metadata(schema: Knex.SchemaBuilder, name: NameTable, sortedText: string): Knex.SchemaBuilder {
  const tableName = name('metadata')
  return schema
    .createTable(tableName, (table) => {
      table.bigIncrements('id')
      table.bigInteger('document_id').notNullable().references('id').inTable(name('documents')).index()
      table.bigInteger('context_id').notNullable()
      table.text('key').notNullable()
      // The type of the value: string, number or boolean. Each item of a list has a row of its own. An empty list has
      // one row of the type list.
      table.text('type').notNullable()
      // The beginning of a string: an index of PostgreSQL has no room for a long one.
      table.specificType('text', sortedText)
      // The whole string, if it is longer.
      table.specificType('long_text', sortedText)
      // A number; 0 or 1 for a boolean.
      table.double('number')
    })
    .raw(`create index "${tableName}_texts" on "${tableName}" (context_id, key, type, text, document_id)`)
    .raw(`create index "${tableName}_numbers" on "${tableName}" (context_id, key, type, number, document_id)`)
}

function chunks(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return schema
    .createTable(name('chunks'), (table) => {
      table.bigIncrements('id')
      table.bigInteger('document_id').notNullable().references('id').inTable(name('documents'))
      table.bigInteger('ordinal').notNullable()
      table.text('content').notNullable()
      table.bigInteger('start').notNullable()
      table.bigInteger('tokens').notNullable()
      table.text('hash').notNullable()
      table.bigInteger('page_first')
      table.bigInteger('page_last')
      table.text('headings')
      table.text('gap_before')
      table.text('gap_after')
      table.unique(['document_id', 'ordinal'])
    })
    .createTable(name('windows'), (table) => {
      table.bigInteger('document_id').notNullable().references('id').inTable(name('documents'))
      table.bigInteger('chunk').notNullable()
      table.bigInteger('ordinal').notNullable()
      table.bigInteger('start').notNullable()
      table.bigInteger('end').notNullable()
      table.bigInteger('tokens').notNullable()
      table.text('hash').notNullable().index()
      table.primary(['document_id', 'chunk', 'ordinal'])
    })
}
