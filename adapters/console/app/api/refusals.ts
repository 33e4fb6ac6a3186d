import { AlcoveApiError } from '../../../client/index.js'

/** `401`: the server does not know the login. `403`: the login may not do this, perhaps since a moment ago. */
type Refusal = 401 | 403

const listeners = new Set<(refusal: Refusal) => void>()

/** Calls a function when the server refuses a request of any part of the page. @returns a function that ends this */
export function onRefusal(listener: (refusal: Refusal) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Tells the listeners of an answer, if it is a refusal. */
export function reportStatus(status: number): void {
  if (status === 401 || status === 403) for (const listener of listeners) listener(status)
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404])

/** True for an answer that another try does not change: there is no login, no right or no such object. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AlcoveApiError && REFUSALS.has(error.status)
}
