import { InvalidInputError } from '../shared/errors.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a name is one that a file may be kept under: a lower-case UUID. */
export function isFileKey(name: string): boolean {
  return UUID.test(name)
}

/** Refuses every other name, before it becomes a part of a path. @throws InvalidInputError */
export function requireFileKey(key: string): void {
  if (!isFileKey(key)) throw new InvalidInputError('key', 'must be a lower-case UUID')
}
