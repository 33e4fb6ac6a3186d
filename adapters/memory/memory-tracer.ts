import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import {
  errorTypeOf,
  formatTraceparent,
  parseTraceparent,
  type Span,
  type SpanName,
  type SpanOptions,
  type TraceParent,
  type Tracer,
  type TraceValues,
} from '../../src/ports/index.js'

/** A span that has ended. */
export interface MemorySpan {
  readonly name: SpanName
  readonly traceId: string
  readonly spanId: string
  /** Id of the parent; null for a span without one. */
  readonly parentId: string | null
  readonly labels: TraceValues
  readonly attributes: TraceValues
  /** Null for work that succeeded. */
  readonly errorType: string | null
}

/** Records the spans that have ended. */
export class MemoryTracer implements Tracer {
  readonly spans: MemorySpan[] = []
  readonly #running = new AsyncLocalStorage<TraceParent>()

  async span<T>(name: SpanName, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const { labels, attributes, parent: given } = options
    const parent = given === undefined ? this.#running.getStore() : parseTraceparent(given ?? '')
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    const own = { traceId, spanId: randomBytes(8).toString('hex'), flags: parent?.flags ?? 1 }
    const recorded = { labels: { ...labels }, attributes: { ...attributes }, errorType: null as string | null }
    const span: Span = {
      traceparent: formatTraceparent(own),
      label: (more) => Object.assign(recorded.labels, more),
      set: (more) => Object.assign(recorded.attributes, more),
      fail: (type) => {
        recorded.errorType = type
      },
    }
    try {
      return await this.#running.run(own, async () => await work(span))
    } catch (error) {
      span.fail(errorTypeOf(error))
      throw error
    } finally {
      this.spans.push({ name, traceId, spanId: own.spanId, parentId: parent?.spanId ?? null, ...recorded })
    }
  }

  traceparent(): string | undefined {
    const running = this.#running.getStore()
    return running && formatTraceparent(running)
  }
}
