import { InvalidInputError } from '../../../src/index.js'

/**
 * Checks the option of a path.
 *
 * @param example a valid one, for the message
 * @returns the path without a slash at its end; empty for the root
 * @throws InvalidInputError
 */
export function checkPath(option: string, given: string, example: string): string {
  const path = typeof given === 'string' ? given.replace(/\/+$/, '') : undefined
  if (path === '' || (path !== undefined && /^(\/[\w.~-]+)+$/.test(path))) return path
  throw new InvalidInputError(option, `must be a path such as ${example}`)
}
