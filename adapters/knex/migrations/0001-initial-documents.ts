import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/** SQL condition of the documents that a search must not find. The next step has another one. */
const IS_HIDDEN = 'completed is null or deleted is not null'

/** Creates the tables of contexts, documents and chunks. */
export function initialDocuments(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  return chunks(documentsOfContexts(schema, name), name)
}

function documentsOfContexts(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const [contexts, documents] = [name('contexts'), name('documents')]
  return (
    schema
      .createTable(contexts, (table) => {
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
      })
      .createTable(documents, (table) => {
        table.bigIncrements('id')
        table.text('uuid').notNullable().unique()
        table.bigInteger('context_id').notNullable().references('id').inTable(contexts)
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
        table.index(['context_id', 'original_name', 'content_hash'])
        table.index(['context_id', 'words_version'])
      })
      // These indexes count and page the contexts of an account, and sum the used quota of a context, without reading
      // the rows.
      .raw(`create index "${contexts}_live" on "${contexts}" (account_id, id) where deleted is null`)
      .raw(`create index "${documents}_live" on "${documents}" (context_id, id, size_bytes) where deleted is null`)
      // Finds the documents that a search must not find, without reading all others.
      .raw(`create index "${documents}_hidden" on "${documents}" (context_id) where ${IS_HIDDEN}`)
      .createTable(name('uploads'), (table) => {
        table.text('uuid').primary()
        table.bigInteger('context_id').notNullable().index()
        table.bigInteger('size_bytes').notNullable()
        table.bigInteger('expires_ms').notNullable()
      })
  )
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
