import type { Knex } from 'knex'

/**
 * Runs a transaction of knex, or a savepoint in one. If the work throws, this function throws that error. knex itself
 * would throw the error of the ROLLBACK, which fails too on a lost connection.
 */
export async function runTransaction<T>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<T>,
  config?: Knex.TransactionConfig,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined
  try {
    return await knex.transaction(async (transaction) => {
      // knex runs the work even if the transaction could not start. It throws the reason afterwards.
      if (transaction.isCompleted()) throw new Error('the transaction could not start')
      try {
        return await work(transaction)
      } catch (error) {
        failure = { error }
        throw error
      }
    }, config)
  } catch (error) {
    throw failure === undefined ? error : failure.error
  }
}
