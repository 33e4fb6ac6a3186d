import { AsyncLocalStorage } from 'node:async_hooks'

/** Longest time of a statement on a server that somebody waits for. */
const PROMPT_MS = 10_000

const limits = new AsyncLocalStorage<number | undefined>()

/** Runs work whose statements have an answer within 10 s, or lose their connection. */
export async function promptly<T>(work: () => Promise<T>): Promise<T> {
  return await limits.run(PROMPT_MS, work)
}

/** Runs work whose statements may take as long as the connection allows, also as a part of work that is prompt. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  return await limits.run(undefined, work)
}

/** The limit for a statement that starts now; `undefined` if only the limit of the connection applies. */
export function statementLimitMs(): number | undefined {
  return limits.getStore()
}
