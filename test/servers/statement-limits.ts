import type { Knex } from 'knex'
import { statementLimitMs } from '../../adapters/node-kit/index.js'

/**
 * The time limits of the statements that run during a call, each once. `undefined` is the limit of the connection.
 * @param part text of the statements that count
 */
export async function statementLimits(
  knex: Knex,
  call: () => Promise<unknown>,
  part = '',
): Promise<(number | undefined)[]> {
  const limits = new Set<number | undefined>()
  const note = ({ sql }: { readonly sql: string }): void => {
    if (sql.includes(part)) limits.add(statementLimitMs())
  }
  knex.on('query', note)
  try {
    await call()
  } finally {
    knex.removeListener('query', note)
  }
  return [...limits]
}
