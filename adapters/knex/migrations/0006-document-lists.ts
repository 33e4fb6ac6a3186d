import type { Knex } from 'knex'
import { foldedNamesOf } from '../../../src/ports/index.js'
import type { Dialect } from '../dialect.js'
import { type NameTable, number, quoted, type Row, text, textOrNull } from '../tables.js'
import { IS_CURRENT } from './0002-living-documents.js'

const ROWS_PER_STATEMENT = 200

/** Adds the names of documents in the form by which lists find and order them. */
export async function documentLists(
  schema: Knex.SchemaBuilder,
  name: NameTable,
  dialect: Dialect,
  transaction: Knex.Transaction,
): Promise<void> {
  const documents = name('documents')
  // SQLite always compares texts by their bytes.
  const textType = dialect.hasOneWriter ? 'text' : 'text collate "C"'
  await schema.alterTable(documents, (table) => {
    table.specificType('folded_name', textType).notNullable().defaultTo('')
    // The name at the upload, if the other one does not contain it.
    table.specificType('folded_original', textType)
  })
  await foldNames(transaction, documents)
  // Pages the documents of a context by their names, without reading all of them.
  await transaction.schema.raw(
    `create index "${documents}_names" on "${documents}" (context_id, folded_name, public_id) where ${IS_CURRENT}`,
  )
}

async function foldNames(transaction: Knex.Transaction, documents: string): Promise<void> {
  for (let after = 0; ; ) {
    const rows: Row[] = await transaction<Row>(documents)
      .where('id', '>', after)
      .orderBy('id')
      .limit(ROWS_PER_STATEMENT)
      .select('id', 'original_name', 'name_index', 'display_name')
    const last = rows.at(-1)
    if (last === undefined) return
    const bindings = rows.flatMap((row) => {
      const { shown, original } = foldedNamesOf({
        displayName: textOrNull(row, 'display_name'),
        originalName: text(row, 'original_name'),
        nameIndex: number(row, 'name_index'),
      })
      return [number(row, 'id'), shown, original] as const
    })
    const values = rows.map(() => '(cast(? as bigint), cast(? as text), cast(? as text))').join()
    await transaction.raw(
      `with folded(id, shown, original) as (values ${values})
       update ${quoted(documents)} set folded_name = folded.shown, folded_original = folded.original
       from folded where ${quoted(documents)}.id = folded.id`,
      bindings as readonly Knex.RawBinding[] as Knex.RawBinding[],
    )
    after = number(last, 'id')
  }
}
