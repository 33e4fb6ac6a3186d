import { AlcoveError } from '../../../src/index.js'
import { isError, type Telemetry, type TelemetryEvent } from '../../../src/ports/index.js'

/** The levels of the log, from nothing to everything. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

/** Writes telemetry events to stderr, one JSON object a line. */
export class Log implements Telemetry {
  readonly #maxLevel: number

  constructor(level: LogLevel) {
    this.#maxLevel = LOG_LEVELS.indexOf(level)
  }

  record({ name, level, fields, durationMs, error }: TelemetryEvent): void {
    if (LOG_LEVELS.indexOf(level) > this.#maxLevel) return
    const line = {
      time: new Date().toISOString(),
      level,
      name,
      ...fields,
      ...(durationMs !== undefined && { durationMs: Math.round(durationMs * 10) / 10 }),
      ...(error !== undefined && describe(error)),
    }
    process.stderr.write(`${JSON.stringify(line)}\n`)
  }
}

/** An error of the engine needs no stack: its code says where it comes from. */
function describe(error: unknown): { readonly error: string; readonly stack?: string } {
  if (error instanceof AlcoveError) return { error: `${error.message} (${error.code})` }
  if (!isError(error)) return { error: String(error) }
  return { error: error.message, ...(error.stack !== undefined && { stack: error.stack }) }
}
