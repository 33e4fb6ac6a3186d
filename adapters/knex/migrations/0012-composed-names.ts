import type { Knex } from 'knex'
import { foldedNamesOf } from '../../../src/ports/index.js'
import type { Dialect } from '../dialect.js'
import { type NameTable, number, type Row, text, textOrNull } from '../tables.js'

const ROWS_PER_STATEMENT = 200

/**
 * Stores the names of files in the composed form of Unicode (NFC), as uploads do now: a name with an accent in one code
 * point and in two was two names before. A document whose name is now that of another one gets the next number.
 */
export async function composedNames(
  _schema: Knex.SchemaBuilder,
  name: NameTable,
  _dialect: Dialect,
  transaction: Knex.Transaction,
): Promise<void> {
  const documents = name('documents')
  for (let after = 0; ; ) {
    const rows: Row[] = await transaction<Row>(documents)
      .where('id', '>', after)
      .orderBy('id')
      .limit(ROWS_PER_STATEMENT)
      .select('id', 'public_id', 'context_id', 'original_name', 'name_index', 'display_name')
    const last = rows.at(-1)
    if (last === undefined) return
    for (const row of rows) {
      const originalName = text(row, 'original_name').normalize('NFC')
      if (originalName === text(row, 'original_name')) continue
      const { shown, original, nameIndex } = await namesOf(transaction, documents, row, originalName)
      await transaction(documents)
        .where('id', number(row, 'id'))
        .update({ original_name: originalName, name_index: nameIndex, folded_name: shown, folded_original: original })
    }
    after = number(last, 'id')
  }
}

async function namesOf(
  transaction: Knex.Transaction,
  documents: string,
  row: Row,
  originalName: string,
): Promise<ReturnType<typeof foldedNamesOf> & { readonly nameIndex: number }> {
  const [found] = await transaction<Row>(documents)
    .where({ context_id: number(row, 'context_id'), original_name: originalName })
    .whereNot('public_id', number(row, 'public_id'))
    .whereNull('deleted')
    .whereNull('generation')
    .max({ highest: 'name_index' })
  const highest: unknown = found?.['highest']
  const nameIndex = highest === null || highest === undefined ? number(row, 'name_index') : Number(highest) + 1
  const displayName = textOrNull(row, 'display_name')
  return { ...foldedNamesOf({ displayName, originalName, nameIndex }), nameIndex }
}
