import { AlcoveError } from '../../../src/index.js'
import { isError, messageOf } from '../../../src/ports/index.js'

/** Most causes that are printed: an error may be its own cause. */
const MAX_CAUSES = 10

/**
 * Writes an unexpected failure (500) to the console, for a host without a telemetry, so that its cause is not lost. The
 * line begins with the operation and the id of the request; the stacks follow.
 *
 * @param operation such as `GET /context/{contextId}`; a pattern, because a path may have a value that a user chose
 */
export function printFailure(operation: string, requestId: string, error: unknown): void {
  const reason = chainOf(error).join('\ncaused by ')
  // biome-ignore lint/suspicious/noConsole: the default of a host without a telemetry; every platform has it.
  console.error(`alcove: ${operation} failed with 500 (request ${requestId}): ${reason}`)
}

/** The stacks of an error and of its causes. Those below an error of the engine stay out: drivers may quote values. */
function chainOf(error: unknown): string[] {
  const chain: string[] = []
  let next = error
  while (isError(next)) {
    chain.push(next.stack ?? next.message)
    if (next instanceof AlcoveError || chain.length > MAX_CAUSES) return chain
    next = next.cause
  }
  return next === undefined ? chain : [...chain, messageOf(next)]
}
