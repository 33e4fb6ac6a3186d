import type { Knex } from 'knex'
import type { NameTable } from '../tables.js'

/**
 * How contexts are searched; which documents can be found by words; and how many chunks have their vectors: those that
 * were there before have them all, for a chunk was written after its vectors.
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
