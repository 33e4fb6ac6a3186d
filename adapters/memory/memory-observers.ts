import type {
  Clock,
  StarterPromptSubject,
  StarterPromptWriter,
  Telemetry,
  TelemetryEvent,
} from '../../src/ports/index.js'

/** A clock that changes only by {@link advance}. */
export class MemoryClock implements Clock {
  #now: number

  /** @param start default 2026-01-01T00:00:00.000Z */
  constructor(start: Date = new Date('2026-01-01T00:00:00.000Z')) {
    this.#now = start.getTime()
  }

  now(): Date {
    return new Date(this.#now)
  }

  advance(ms: number): void {
    this.#now += ms
  }
}

/** Records all events. */
export class MemoryTelemetry implements Telemetry {
  readonly events: TelemetryEvent[] = []

  record(event: TelemetryEvent): void {
    this.events.push(event)
  }
}

/** Writes one prompt, which depends only on the name of the context. */
export class MemoryStarterPromptWriter implements StarterPromptWriter {
  async write({ name }: StarterPromptSubject): Promise<readonly string[]> {
    return [`What is ${name} about?`]
  }
}
