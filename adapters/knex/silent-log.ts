import type { Knex } from 'knex'

function ignore(): void {
  return undefined
}

/** Errors reach the caller; nothing is printed into a host's output. */
export const SILENT_LOG: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore }
