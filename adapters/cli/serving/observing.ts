import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { UnsupportedError } from '../../../src/index.js'
import type { Telemetry } from '../../../src/ports/index.js'
import type { MetricsServer } from '../../opentelemetry/index.js'
import { option } from '../options.js'
import { listening } from './listening.js'

/** The address of the metrics. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
}

const METRICS_PORT = 9_464
const LOOPBACK = '127.0.0.1'
const METRICS_PLACE = { field: 'metrics', hostOption: '--metrics', portOption: '--metrics' }

/** The options of a command that can be observed. */
export const OBSERVING_OPTIONS = {
  metrics: (): Option<'--metrics [address]', string, undefined, MetricsAddress> =>
    option(
      '--metrics [address]',
      'serve GET /metrics for Prometheus on this port or host:port; default: 127.0.0.1:9464',
    )
      .preset(String(METRICS_PORT))
      .argParser(parseMetricsAddress),
  traces: (): Option<'--traces'> =>
    option('--traces', 'send spans and metrics to the OpenTelemetry SDK that NODE_OPTIONS="--import …" has loaded'),
}

/** The telemetry of a process, and the server of its metrics. */
export interface Observation {
  readonly telemetry: Telemetry
  readonly metrics: MetricsServer | undefined
  close(): Promise<void>
}

/**
 * Starts what the options ask for. Events go to `log` in any case.
 *
 * @throws UnsupportedError if a package is not installed
 * @throws InvalidInputError if the server of the metrics cannot listen
 */
export async function observe(
  { metrics: address, traces }: { readonly metrics?: MetricsAddress | undefined; readonly traces?: true | undefined },
  log: Telemetry,
): Promise<Observation> {
  if (address === undefined && traces === undefined) {
    return { telemetry: log, metrics: undefined, close: () => Promise.resolve() }
  }
  const { OpenTelemetry, serveMetrics } = await loadOpenTelemetry()
  const metrics =
    address && (await listening({ ...address, ...METRICS_PLACE }, async () => await serveMetrics(address)))
  const telemetry = new OpenTelemetry({
    telemetry: log,
    ...(metrics && { meterProvider: metrics.meterProvider }),
    ...(traces === undefined && { tracerProvider: null }),
  })
  return { telemetry, metrics, close: async () => await metrics?.close() }
}

/** The adapter needs the package when it is loaded. */
async function loadOpenTelemetry(): Promise<typeof import('../../opentelemetry/index.js')> {
  try {
    return await import('../../opentelemetry/index.js')
  } catch (error) {
    throw new UnsupportedError(
      '--metrics and --traces need the package @opentelemetry/api: install it beside alcove, for example with ' +
        '"npm install @opentelemetry/api"',
      { cause: error },
    )
  }
}

/** Reads a port, or a host and a port. An address of IPv6 is in brackets. */
function parseMetricsAddress(text: string): MetricsAddress {
  const [, inBrackets, plain, digits = ''] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits !== '' && port <= 65_535) return { host: inBrackets ?? plain ?? LOOPBACK, port }
  throw new InvalidArgumentError('Expected a port or host:port, such as 9464 or 0.0.0.0:9464.')
}
