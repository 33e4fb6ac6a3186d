import { AlcoveApiError } from '../../../client/index.js'

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404])

/** True for an answer that another try does not change: there is no login, no right or no such object. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AlcoveApiError && REFUSALS.has(error.status)
}
