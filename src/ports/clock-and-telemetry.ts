import type { Measure } from './measurements.js'
import { NO_TRACER, type Tracer } from './tracing.js'

/** The source of the timestamps of records. Leases use the database's clock instead. */
export interface Clock {
  /** @returns the current time. Never throws. */
  now(): Date
}

/** A fact that the engine reports, for logs and metrics. */
export interface TelemetryEvent {
  /** Stable name with dots, such as `jobs.failed`. */
  readonly name: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Ids and numbers; never secrets, prompts or texts of documents. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>>
  /** Duration of the reported work, in milliseconds. */
  readonly durationMs?: number
  /** The error that caused the event. */
  readonly error?: unknown
}

/** Receives the facts that the engine reports. */
export interface Telemetry {
  /** Records an event. Returns at once, without I/O, and never throws. */
  record(event: TelemetryEvent): void
  /** Follows the work of the engine. It must not change. Default: nobody follows it, which costs nothing. */
  readonly tracer?: Tracer
  /**
   * Hands over a function that measures the state of an engine: its queues, tables, models and disks. The engine calls
   * this once, when it opens. Default: nobody measures.
   *
   * @returns a function that the engine calls when it closes: the measuring ends
   */
  observe?(measure: Measure): () => void
}

/** @returns the tracer of a telemetry, or one that does nothing */
export function tracerOf(telemetry: Telemetry | undefined): Tracer {
  return telemetry?.tracer ?? NO_TRACER
}
