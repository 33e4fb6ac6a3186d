import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * Adds the search mode of contexts, the version by which the words of a document are indexed, and its number of
 * embedded chunks. All chunks of existing documents are embedded: earlier versions wrote a chunk after its vectors.
 */
export function words(schema: Knex.SchemaBuilder, name: NameTable): Knex.SchemaBuilder {
  const [documents, chunks] = [name('documents'), name('chunks')]
  return schema
    .alterTable(name('contexts'), (table) => {
      table.text('search_mode').notNullable().defaultTo('hybrid')
      table.boolean('finds_early').notNullable().defaultTo(true)
    })
    .alterTable(documents, (table) => {
      table.bigInteger('words_version')
      table.bigInteger('embedded_chunks').notNullable().defaultTo(0)
      table.index(['context_id', 'words_version'])
    })
    .raw(
      `update "${documents}" set embedded_chunks = (select count(*) from "${chunks}" where document_id = "${documents}".id)`,
    )
}
