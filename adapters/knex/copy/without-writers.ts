import type { Knex } from 'knex'
import { translated } from '../errors.js'

/**
 * Reads an SQLite database while nobody writes to it: who wants to waits, and gives up when that takes too long.
 * Nothing is written.
 *
 * @throws StorageError where somebody else writes for too long
 */
export async function withoutWriters<T>(
  source: Knex,
  tablePrefix: string,
  work: (reading: Knex) => Promise<T>,
): Promise<T> {
  const transaction = await source.transaction()
  try {
    // A statement that writes takes the lock, whether it changes anything or not.
    await translated(transaction(`${tablePrefix}schema`).update({ version: 0 }).whereRaw('0 = 1'))
    return await work(transaction)
  } finally {
    await transaction.rollback().catch(() => undefined)
  }
}
