import type { Knex } from 'knex'

/**
 * A transaction of knex, or a savepoint in one, that fails with what its work failed with: knex tells of the ROLLBACK
 * instead, where that fails too, as it does on a connection that is lost.
 */
export async function transacted<T>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<T>,
  config?: Knex.TransactionConfig,
): Promise<T> {
  let failed: { readonly why: unknown } | undefined
  try {
    return await knex.transaction(async (transaction) => {
      // knex calls for the work of a transaction that could not begin, too, and then tells why it could not.
      if (transaction.isCompleted()) throw new Error('the transaction has not begun')
      try {
        return await work(transaction)
      } catch (error) {
        failed = { why: error }
        throw error
      }
    }, config)
  } catch (error) {
    throw failed === undefined ? error : failed.why
  }
}
