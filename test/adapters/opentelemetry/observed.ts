import { context, type HrTime, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { OpenTelemetry } from '../../../adapters/opentelemetry/index.js'

/** OpenTelemetry with the SDK's exporters in memory. */
export class Observed {
  readonly log: MemoryTelemetry = new MemoryTelemetry()
  readonly #tracerProvider: BasicTracerProvider
  readonly telemetry: OpenTelemetry
  readonly #spans = new InMemorySpanExporter()
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  readonly #meterProvider: MeterProvider

  constructor() {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    this.#tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#spans)] })
    const reader = new PeriodicExportingMetricReader({ exporter: this.#metrics, exportIntervalMillis: 3_600_000 })
    this.#meterProvider = new MeterProvider({ readers: [reader] })
    this.telemetry = new OpenTelemetry({
      tracerProvider: this.#tracerProvider,
      meterProvider: this.#meterProvider,
      telemetry: this.log,
    })
  }

  /** Spans that have ended. */
  get spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans()
  }

  clear(): void {
    this.#spans.reset()
  }

  named(name: string): readonly ReadableSpan[] {
    return this.spans.filter((span) => span.name === name)
  }

  /** The names of the spans below a span, each with those below it. Spans with the same name and parent count once. */
  tree(parent: ReadableSpan): Tree {
    const parentId = parent.spanContext().spanId
    const children = this.spans.filter((span) => span.parentSpanContext?.spanId === parentId)
    return Object.fromEntries(children.sort(byStart).map((child) => [child.name, this.tree(child)]))
  }

  /** The values of a metric, each with its labels. */
  async points(name: string): Promise<readonly DataPoint<number | Histogram>[]> {
    this.#metrics.reset()
    await this.#meterProvider.forceFlush()
    const all = this.#metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    const found = all.filter(({ descriptor }) => descriptor.name === name)
    return found.flatMap(({ dataPoints }) => dataPoints as readonly DataPoint<number | Histogram>[])
  }

  /** The value of a gauge with this value of its only label. */
  async gauge(name: string, label?: string): Promise<number | undefined> {
    const points = await this.points(name)
    return points.find(({ attributes }) => label === undefined || Object.values(attributes).includes(label))
      ?.value as number
  }

  async close(): Promise<void> {
    await this.#tracerProvider.shutdown()
    await this.#meterProvider.shutdown()
    context.disable()
    trace.disable()
  }
}

export interface Tree {
  readonly [name: string]: Tree
}

function byStart(one: ReadableSpan, other: ReadableSpan): number {
  const toMs = ([seconds, nanos]: HrTime): number => seconds * 1_000 + nanos / 1e6
  return toMs(one.startTime) - toMs(other.startTime)
}

export function traceIdOf(span: ReadableSpan | undefined): string | undefined {
  return span?.spanContext().traceId
}
