/** Telemetry on OpenTelemetry: spans and metrics of the engine, and a Prometheus endpoint. */
export { OpenTelemetry, type OpenTelemetryOptions } from './open-telemetry.js'
export { type MetricsServer, type ServeMetricsOptions, serveMetrics } from './serve-metrics.js'
