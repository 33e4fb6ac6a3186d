import type { Knex } from 'knex'
import { withTranslatedErrors } from '../errors.js'

/**
 * Reads an SQLite database while it holds the write lock, so that no other connection writes. Writers wait, and fail
 * when their timeout ends. The work itself must not write: its transaction is rolled back.
 *
 * @throws StorageError if another connection holds the write lock for too long
 */
export async function withoutWriters<T>(
  source: Knex,
  tablePrefix: string,
  work: (transaction: Knex) => Promise<T>,
): Promise<T> {
  const transaction = await source.transaction()
  try {
    // An update takes the write lock even if it changes no row.
    await withTranslatedErrors(transaction(`${tablePrefix}schema`).update({ version: 0 }).whereRaw('0 = 1'))
    return await work(transaction)
  } finally {
    await transaction.rollback().catch(() => undefined)
  }
}
