import {
  type Span as ApiSpan,
  SpanKind as ApiSpanKind,
  type Tracer as ApiTracer,
  type Attributes,
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

/**
 * Tracer on `@opentelemetry/api`. Records the duration of each span, also of those that the sampler drops.
 *
 * Its own work is some microseconds for each span: it copies no object that the SDK copies once more.
 */
export class OpenTelemetryTracer implements Tracer {
  /** @param tracer undefined to record durations alone */
  constructor(
    private readonly tracer: ApiTracer | undefined,
    private readonly instruments: Instruments,
  ) {}

  async span<T>(name: SpanName, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    const parent = this.tracer && contextOf(options.parent)
    const started = this.tracer?.startSpan(name, { kind: KINDS[SPANS[name].kind ?? 'internal'] }, parent)
    const span = new RunningSpan(started, options)
    try {
      if (parent === undefined || started === undefined) return await work(span)
      return await context.with(trace.setSpan(parent, started), work, undefined, span)
    } catch (error) {
      span.fail(errorTypeOf(error))
      throw error
    } finally {
      if (name === 'http.server.request') started?.updateName(requestName(span.labels))
      started?.end()
      this.instruments.recordDuration(name, performance.now() - startedAt, span.labels)
    }
  }

  traceparent(): string | undefined {
    const running = trace.getActiveSpan()
    return running && traceparentOf(running)
  }
}

class RunningSpan implements Span {
  readonly labels: Attributes = {}
  readonly #isRecording: boolean

  constructor(
    private readonly span: ApiSpan | undefined,
    { labels, attributes }: SpanOptions,
  ) {
    this.#isRecording = span?.isRecording() ?? false
    if (labels !== undefined) this.label(labels)
    if (attributes !== undefined) this.set(attributes)
  }

  get traceparent(): string | undefined {
    return this.span && traceparentOf(this.span)
  }

  label(labels: TraceValues): void {
    for (const name in labels) this.labels[name] = labels[name]
    this.set(labels)
  }

  set(attributes: TraceValues): void {
    if (this.#isRecording) this.span?.setAttributes(attributes)
  }

  fail(type: string): void {
    this.label({ 'error.type': type })
    this.span?.setStatus({ code: SpanStatusCode.ERROR })
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
function requestName({ 'http.request.method': method = 'HTTP', 'http.route': route }: Attributes): string {
  return [method, route].filter((part) => part !== undefined).join(' ')
}
