/** Tells the time that records are stamped with. Leases go by the database's clock instead. */
export interface Clock {
  /** The time now. */
  now(): Date
}

/** Something that happened, for logs and metrics. */
export interface TelemetryEvent {
  /** Stable and dotted: `ingestion.document.failed`. */
  readonly name: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Ids and numbers; never secrets, prompts or texts of documents. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>>
  readonly durationMs?: number
  readonly error?: unknown
}

/** Hears what the engine does. */
export interface Telemetry {
  /** Returns at once and never throws. */
  record(event: TelemetryEvent): void
}
