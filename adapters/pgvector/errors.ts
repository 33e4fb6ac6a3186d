import { UnsupportedError } from '../../src/ports/index.js'
import { codeOf, translateDatabaseError } from '../node-kit/index.js'

const QUERY_CANCELLED = '57014'
const INSUFFICIENT_PRIVILEGE = '42501'
const UNDEFINED_OBJECT = '42704'

/** True if a statement was cancelled. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELLED
}

/** True if the database user lacks a right. */
export function isRightMissing(error: unknown): boolean {
  return codeOf(error) === INSUFFICIENT_PRIVILEGE
}

/** Runs database work, and translates its errors to the core's. @param name the collection, for messages */
export async function withTranslatedErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === UNDEFINED_OBJECT) {
      throw new UnsupportedError(
        'the type "vector" was not found: add the schema of the extension to the search_path of the database user',
        { cause: error },
      )
    }
    throw translateDatabaseError(error, { data: 'the vectors', damage: `the vectors of ${name} are damaged` })
  }
}
