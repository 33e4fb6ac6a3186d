import {
  type Span as ApiSpan,
  SpanKind as ApiSpanKind,
  type Tracer as ApiTracer,
  type Context,
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import {
  errorTypeOf,
  formatTraceparent,
  parseTraceparent,
  SPANS,
  type Span,
  type SpanKind,
  type SpanName,
  type SpanOptions,
  type Tracer,
  type TraceValues,
} from '../../src/ports/index.js'
import type { Instruments } from './instruments.js'

const KINDS: Readonly<Record<SpanKind, ApiSpanKind>> = {
  internal: ApiSpanKind.INTERNAL,
  server: ApiSpanKind.SERVER,
  client: ApiSpanKind.CLIENT,
  consumer: ApiSpanKind.CONSUMER,
}

/** Tracer on `@opentelemetry/api`. Records the duration of each span, also of those that the sampler drops. */
export class OpenTelemetryTracer implements Tracer {
  readonly #tracer: ApiTracer
  readonly #instruments: Instruments

  constructor(tracer: ApiTracer, instruments: Instruments) {
    this.#tracer = tracer
    this.#instruments = instruments
  }

  async span<T>(name: SpanName, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const { labels = {}, attributes } = options
    const parent = contextOf(options.parent)
    const started = this.#tracer.startSpan(
      name,
      { kind: KINDS[SPANS[name].kind ?? 'internal'], attributes: { ...labels, ...attributes } },
      parent,
    )
    const span = new RunningSpan(started, labels)
    try {
      return await context.with(trace.setSpan(parent, started), work, undefined, span)
    } catch (error) {
      span.fail(errorTypeOf(error))
      throw error
    } finally {
      const { labels: all } = span
      if (name === 'http.server.request') started.updateName(requestName(all))
      started.end()
      this.#instruments.recordDuration(name, performance.now() - startedAt, all)
    }
  }

  traceparent(): string | undefined {
    const running = trace.getActiveSpan()
    return running && traceparentOf(running)
  }
}

class RunningSpan implements Span {
  readonly #span: ApiSpan
  labels: TraceValues

  constructor(span: ApiSpan, labels: TraceValues) {
    this.#span = span
    this.labels = labels
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.#span)
  }

  label(labels: TraceValues): void {
    this.labels = { ...this.labels, ...labels }
    this.#span.setAttributes({ ...labels })
  }

  set(attributes: TraceValues): void {
    this.#span.setAttributes({ ...attributes })
  }

  fail(type: string): void {
    this.label({ 'error.type': type })
    this.#span.setStatus({ code: SpanStatusCode.ERROR })
  }
}

/** The context in which a span starts. */
function contextOf(parent: string | null | undefined): Context {
  if (parent === undefined) return context.active()
  const parsed = parent === null ? undefined : parseTraceparent(parent)
  if (parsed === undefined) return ROOT_CONTEXT
  const { traceId, spanId, flags: traceFlags } = parsed
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function traceparentOf(span: ApiSpan): string | undefined {
  const spanContext = span.spanContext()
  if (!trace.isSpanContextValid(spanContext)) return undefined
  const { traceId, spanId, traceFlags: flags } = spanContext
  return formatTraceparent({ traceId, spanId, flags })
}

/** The name that the conventions give a request: its method and the pattern of its path. */
function requestName({ 'http.request.method': method = 'HTTP', 'http.route': route }: TraceValues): string {
  return route === undefined ? String(method) : `${method} ${route}`
}
