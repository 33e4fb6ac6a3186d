import { InvalidInputError } from '../../src/ports/index.js'

/** The prefix is part of identifiers that are not escaped. */
export const TABLE_PREFIX: RegExp = /^[a-z_][a-z0-9_]{0,30}$/i

/** @throws InvalidInputError for a prefix that cannot begin the names of tables */
export function requireTablePrefix(prefix: string): void {
  if (TABLE_PREFIX.test(prefix)) return
  throw new InvalidInputError('tablePrefix', 'must have 1 to 31 letters, digits and _, and begin with a letter or _')
}
