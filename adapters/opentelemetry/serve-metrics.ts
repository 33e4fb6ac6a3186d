import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { MeterProvider } from '@opentelemetry/api'
import type { MeterProviderOptions } from '@opentelemetry/sdk-metrics'
import { UnsupportedError } from '../../src/ports/index.js'
import { listen } from '../node-kit/index.js'

export interface ServeMetricsOptions {
  /** Default: `127.0.0.1`. The metrics have no secrets, but whoever can reach the address can read them. */
  readonly host?: string
  /** Default: 9464, the registered port of such endpoints; 0 picks a free one. */
  readonly port?: number
}

/** A listening server with the metrics of one meter provider. */
export interface MetricsServer {
  /** For `new OpenTelemetry({ meterProvider })`. */
  readonly meterProvider: MeterProvider
  /** The URL of the metrics, for example `http://127.0.0.1:9464/metrics`. */
  readonly address: string
  /** The address and port on which it listens, for `webhooks.ownEndpoints` of `openLocalEngine`. */
  readonly endpoint: { readonly address: string; readonly port: number }
  /** Ends the server and its connections. A second call does nothing. */
  close(): Promise<void>
}

const PATH = '/metrics'
const REQUEST_TIMEOUT_MS = 10_000
/** More than any number of scrapers needs. */
const MAX_CONNECTIONS = 32

type Resource = NonNullable<MeterProviderOptions['resource']>

/** The part of `@opentelemetry/resources` that names a service. */
interface Resources {
  readonly defaultResource: () => Resource
  readonly resourceFromAttributes: (attributes: Resource['attributes']) => Resource
}

/**
 * Serves metrics for Prometheus as `GET /metrics`, by the official exporter, on a port of its own. The label
 * `service_name` of `target_info` is the variable `OTEL_SERVICE_NAME`, or `alcove`.
 *
 * @throws UnsupportedError if `@opentelemetry/sdk-metrics` or `@opentelemetry/exporter-prometheus` is not installed
 * @throws Error of `node:net` if the address is in use or not allowed
 */
export async function serveMetrics({
  host = '127.0.0.1',
  port = 9_464,
}: ServeMetricsOptions = {}): Promise<MetricsServer> {
  const { MeterProvider, PrometheusExporter } = await loadPackages()
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutScopeInfo: true })
  const resource = namedResource()
  const meterProvider = new MeterProvider({ ...(resource && { resource }), readers: [exporter] })
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (path !== PATH) response.writeHead(404).end()
    else if (request.method === 'GET') exporter.getMetricsRequestHandler(request, response)
    else response.writeHead(405, { allow: 'GET' }).end()
  })
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.headersTimeout = REQUEST_TIMEOUT_MS
  server.maxConnections = MAX_CONNECTIONS
  const { url, endpoint } = await listen(server, host, port)
  let closing: Promise<void> | undefined
  return {
    meterProvider,
    address: `${url}${PATH}`,
    endpoint,
    close: async () => await (closing ??= close(server, meterProvider)),
  }
}

function serviceName(): string {
  const name = process.env['OTEL_SERVICE_NAME']
  return name === undefined || name === '' ? 'alcove' : name
}

/**
 * Names the service. Resources are made by a dependency of the SDK, which strict package managers give to the SDK alone.
 *
 * @returns undefined where that package cannot be found, such as in a bundle: the SDK then uses its own name
 */
function namedResource(): Resource | undefined {
  try {
    const sdk = createRequire(import.meta.url).resolve('@opentelemetry/sdk-metrics')
    const { defaultResource, resourceFromAttributes } = createRequire(sdk)('@opentelemetry/resources') as Resources
    return defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName() }))
  } catch {
    return undefined
  }
}

async function close(server: Server, meterProvider: { shutdown(): Promise<void> }): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
  await meterProvider.shutdown()
}

async function loadPackages() {
  try {
    const [{ MeterProvider }, { PrometheusExporter }] = await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-prometheus'),
    ])
    return { MeterProvider, PrometheusExporter }
  } catch (error) {
    throw new UnsupportedError(
      'metrics for Prometheus need the packages @opentelemetry/api, @opentelemetry/sdk-metrics and ' +
        '@opentelemetry/exporter-prometheus: install them, for example with "npm install @opentelemetry/api ' +
        '@opentelemetry/sdk-metrics@2 @opentelemetry/exporter-prometheus@0.223"',
      { cause: error },
    )
  }
}
