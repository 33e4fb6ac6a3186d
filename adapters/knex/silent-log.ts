import type { Knex } from 'knex'

/** A log that prints nothing into the host's output. Errors reach the caller. */
export const SILENT_LOG: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore }

function ignore(): void {
  return undefined
}
