/** An SDK of OpenTelemetry, as an operator loads it with `--import`. It writes each span to stderr. */
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const exporter = {
  export: (spans, done) => {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      const parentId = span.parentSpanContext?.spanId
      process.stderr.write(`${JSON.stringify({ span: span.name, traceId, spanId, parentId })}\n`)
    }
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
