import type { Knex } from 'knex'
import { InvalidInputError } from '../../src/ports/index.js'

/**
 * Checks that the engine's tables can be written in a transaction that the host has started.
 * @throws InvalidInputError if it is no transaction, is finished, or belongs to another knex instance
 */
export function requireHostTransaction(candidate: unknown, knex: Knex): Knex.Transaction {
  const transaction = candidate as Partial<Knex.Transaction> | undefined
  if (typeof candidate !== 'function' || transaction?.isTransaction !== true) {
    throw new InvalidInputError('transaction', 'must be a transaction of knex, as knex.transaction(…) starts it')
  }
  if (transaction.isCompleted?.() !== false) {
    throw new InvalidInputError('transaction', 'is already committed or rolled back: pass an open transaction')
  }
  if (configOf(transaction) !== configOf(knex)) {
    throw new InvalidInputError(
      'transaction',
      'must belong to the knex instance that the engine was opened with: openLocalEngine({ dataDir, knex })',
    )
  }
  return transaction as Knex.Transaction
}

/** Other connections see the changes of a savepoint only after the outermost transaction is committed. */
export function outermostTransaction(transaction: Knex.Transaction): Knex.Transaction {
  const { parentTransaction } = transaction
  return parentTransaction === undefined ? transaction : outermostTransaction(parentTransaction)
}

/** A transaction shares the configuration object of the instance that started it. */
function configOf({ client }: Pick<Knex, 'client'> | Partial<Knex.Transaction>): unknown {
  return (client as { readonly config?: unknown } | undefined)?.config ?? {}
}
