import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import { errorTypeOf, type Measure, type Telemetry, type TelemetryEvent, type Tracer } from '../../src/ports/index.js'
import { Instruments } from './instruments.js'
import { OpenTelemetryTracer } from './open-telemetry-tracer.js'

/** The instrumentation scope of all spans and metrics. */
const SCOPE = 'alcove'

export interface OpenTelemetryOptions {
  /** Makes the tracer; null for metrics alone. Default: the global provider of `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider | null
  /** Makes the meter. Default: the global provider of `@opentelemetry/api`. */
  readonly meterProvider?: MeterProvider
  /** Receives all events too, for example to log them. Default: nobody. */
  readonly telemetry?: Pick<Telemetry, 'record'>
}

/**
 * Reports spans and metrics of one engine to OpenTelemetry.
 *
 * - Create it after the SDK is registered: the global meter of a process without an SDK does nothing for ever.
 * - Events are counted by name and level. Warnings and errors are also events of the span in which they occur.
 * - Spans and metrics have ids, numbers and stable words. They never have texts, prompts, secrets, URLs or messages.
 *
 * Source: OpenTelemetry Specification 1.x, Trace API and Metrics API.
 */
export class OpenTelemetry implements Telemetry {
  readonly tracer: Tracer
  readonly #instruments: Instruments
  readonly #next: Pick<Telemetry, 'record'> | undefined

  constructor({ tracerProvider, meterProvider, telemetry }: OpenTelemetryOptions = {}) {
    this.#instruments = new Instruments((meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE))
    const provider = tracerProvider === undefined ? trace.getTracerProvider() : tracerProvider
    this.tracer = new OpenTelemetryTracer(provider?.getTracer(SCOPE), this.#instruments)
    this.#next = telemetry
  }

  record(event: TelemetryEvent): void {
    const { name, level, error } = event
    this.#instruments.countEvent(name, level)
    if (level === 'warn' || level === 'error') {
      const type = error === undefined ? undefined : { 'error.type': errorTypeOf(error) }
      trace.getActiveSpan()?.addEvent(name, { 'alcove.event.level': level, ...type })
    }
    this.#next?.record(event)
  }

  observe(measure: Measure): () => void {
    return this.#instruments.observe(measure)
  }
}
