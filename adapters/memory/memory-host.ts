import {
  type Clock,
  ClosedError,
  type Measure,
  type ProcessLocks,
  type StarterPromptSubject,
  type StarterPromptWriter,
  type Telemetry,
  type TelemetryEvent,
} from '../../src/ports/index.js'
import type { MemoryTracer } from './memory-tracer.js'

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

/** Records all events, and with a tracer all spans. */
export class MemoryTelemetry implements Telemetry {
  readonly events: TelemetryEvent[] = []
  readonly tracer?: MemoryTracer
  /** Measures the engines that are open. */
  readonly measures: Set<Measure> = new Set()

  /** Without a tracer, nobody traces. */
  constructor({ tracer }: { readonly tracer?: MemoryTracer } = {}) {
    if (tracer !== undefined) this.tracer = tracer
  }

  observe(measure: Measure): () => void {
    this.measures.add(measure)
    return () => {
      this.measures.delete(measure)
    }
  }

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

/** By name of the lock: a promise that settles when its last holder or waiter has finished. */
export type MemoryLockTable = Map<string, Promise<unknown>>

/** Locks between parts of one process that share a table. */
export class MemoryProcessLocks implements ProcessLocks {
  #isClosed = false

  /** @param table the table that all users of the locks share */
  constructor(private readonly table: MemoryLockTable = new Map()) {}

  async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#refuseIfClosed()
    const working = (this.table.get(name) ?? Promise.resolve()).then(work)
    const finished = working.then(
      () => undefined,
      () => undefined,
    )
    this.table.set(name, finished)
    try {
      return await working
    } finally {
      if (this.table.get(name) === finished) this.table.delete(name)
    }
  }

  async tryToHold(name: string, work: () => Promise<void>): Promise<boolean> {
    this.#refuseIfClosed()
    if (this.table.has(name)) return false
    await this.hold(name, work)
    return true
  }

  close(): Promise<void> {
    this.#isClosed = true
    return Promise.resolve()
  }

  #refuseIfClosed(): void {
    if (this.#isClosed) throw new ClosedError('the locks')
  }
}
