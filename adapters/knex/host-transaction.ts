import type { Knex } from 'knex'
import { InvalidInputError } from '../../src/ports/index.js'

/**
 * A transaction that the host has begun, if the engine's tables can be written in it.
 * @throws InvalidInputError where it is none, is over, or belongs to another knex instance
 */
export function hostTransaction(given: unknown, knex: Knex): Knex.Transaction {
  const transaction = given as Partial<Knex.Transaction> | undefined
  if (typeof given !== 'function' || transaction?.isTransaction !== true) {
    throw new InvalidInputError('transaction', 'must be a transaction of knex: what knex.transaction(…) gives')
  }
  if (transaction.isCompleted?.() !== false) {
    throw new InvalidInputError('transaction', 'is committed or rolled back already')
  }
  if (configOf(transaction) !== configOf(knex)) {
    throw new InvalidInputError(
      'transaction',
      'must be one of the knex instance that the engine was opened with: openLocalEngine({ dataDir, knex })',
    )
  }
  return transaction as Knex.Transaction
}

/** What a savepoint releases is seen by others only once the transaction around it is committed. */
export function outermost(transaction: Knex.Transaction): Knex.Transaction {
  const { parentTransaction } = transaction
  return parentTransaction === undefined ? transaction : outermost(parentTransaction)
}

/** A transaction shares the configuration of the instance that began it. */
function configOf({ client }: Pick<Knex, 'client'> | Partial<Knex.Transaction>): unknown {
  return (client as { readonly config?: unknown } | undefined)?.config ?? {}
}
