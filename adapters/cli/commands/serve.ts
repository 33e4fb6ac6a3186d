import { setFlagsFromString } from 'node:v8'
import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { Engine } from '../../../src/index.js'
import type { HttpHandler, HttpServer, ServeHttpOptions } from '../../http-server/index.js'
import type { MetricsServer } from '../../opentelemetry/index.js'
import { loadHttpServer, loadLocal, requireInitialized } from '../engines/engines.js'
import {
  collect,
  engineOptions,
  globalOptions,
  MAIL_OPTIONS,
  mailSettings,
  option,
  parseCount,
  parseList,
  publicUrlOf,
  webhookAllowOption,
} from '../options.js'
import { LOG_LEVELS, Log } from '../output/log.js'
import { printResult } from '../output/output.js'
import { onInterrupt } from '../releasing.js'
import { agentMounts } from '../serving/agent-mounts.js'
import { consoleMounts, consolePath } from '../serving/console-mounts.js'
import { listening } from '../serving/listening.js'
import { OBSERVING_OPTIONS, observe } from '../serving/observing.js'

/**
 * The heap is collected when it has grown by two thirds. On a machine with much memory, V8 would let it grow to four
 * times its live data: a server of many companies would hold some hundred megabytes of garbage.
 */
const GARBAGE_LIMIT = '--heap-growing-percent=66'
const EXIT_DELAY_MS = 1_000
const ALIVE_MS = 60_000
const MAX_DAYS = 36_500
const ENGINE_ROLES = ['ingest', 'relay'] as const
const ROLES: readonly string[] = ['http', ...ENGINE_ROLES]
const ROLES_TEXT = 'work of this process: http (the API), ingest (documents), relay (events and mails); default: all'

export function serveCommand(): CommandUnknownOpts {
  return new Command('serve')
    .description('serve the REST API and agents (at /mcp), process documents, and send events and mails')
    .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(option('--port <number>', 'port to listen on; 0 picks a free one').argParser(parsePort).default(8_787))
    .addOption(option('--max-upload <bytes>', 'largest uploaded file, in bytes').argParser(parseBytes))
    .addOption(
      option(
        '--min-upload-rate <bytes>',
        'lowest speed of an upload, in bytes a second; 0 for no limit; default: 1024',
      ).argParser(parseRate),
    )
    .addOption(option('--max-connections <number>', 'most open connections; default: 1000').argParser(parseCount))
    .addOption(
      option('--max-connections-per-address <number>', 'most open connections of one address; default: 100').argParser(
        parseCount,
      ),
    )
    .addOption(
      option(
        '--trusted-proxy <network>',
        'proxy whose X-Forwarded-For header is trusted, such as 10.0.0.0/8; repeatable',
      ).argParser(collect),
    )
    .addOption(option('--cors-origin <origin>', 'origin whose pages may call the API; repeatable').argParser(collect))
    .addOption(option('--no-console', 'leave out the console at /console, and logins by cookies'))
    .addOption(option('--log-level <level>', 'what to log on stderr').choices(LOG_LEVELS).default('info'))
    .addOption(OBSERVING_OPTIONS.metrics())
    .addOption(OBSERVING_OPTIONS.traces())
    .addOption(option('--roles <roles>', ROLES_TEXT).argParser(parseRoles))
    .addOption(option('--signing-key-file <file>', 'file with the keys that sign access tokens'))
    .addOption(webhookAllowOption())
    .addOption(option('--webhook-traceparent', 'send the W3C header traceparent with each event'))
    .addOption(
      option('--webhook-retention-days <number>', 'days to keep the delivery log').argParser(parseDays).default(30),
    )
    .addOption(
      option('--audit-retention-days <number>', 'days to keep the audit trail').argParser(parseDays).default(400),
    )
    .addOption(MAIL_OPTIONS.publicUrl())
    .addOption(MAIL_OPTIONS.smtpUrl())
    .addOption(MAIL_OPTIONS.mailFrom())
    .addOption(MAIL_OPTIONS.setupUrl())
    .action(async (given, command) => {
      const options = globalOptions(command)
      const { host, port, maxUpload, corsOrigin = [], logLevel, roles = ROLES, signingKeyFile } = given
      const { webhookAllow = [], webhookRetentionDays, minUploadRate } = given
      const publicUrl = given.publicUrl === undefined ? undefined : publicUrlOf(given.publicUrl)
      await requireInitialized(options)
      setFlagsFromString(GARBAGE_LIMIT)
      const observation = await observe(given, new Log(logLevel))
      const { telemetry, metrics } = observation
      const metricsEndpoints = metrics === undefined ? [] : [metrics.endpoint]
      const interrupt = nextInterrupt()
      let address = ''
      // No event may be sent to the server itself. Until it listens, the options give its address.
      let ownEndpoints = [...metricsEndpoints, ...(roles.includes('http') ? [{ address: host, port }] : [])]
      const handlerOptions = {
        corsOrigins: corsOrigin,
        cookieLogins: given.console,
        ...(given.console && { signInUrl: consolePath(publicUrl) }),
        telemetry,
        ...(publicUrl !== undefined && { publicUrl }),
        ...(maxUpload !== undefined && { maxUploadBytes: maxUpload }),
        ...(minUploadRate !== undefined && { minUploadBytesPerSecond: minUploadRate }),
      }
      const agentOptions = { host, publicUrl, allowedOrigins: corsOrigin, telemetry }
      let engine: Engine | undefined
      try {
        const [{ noteServer, openLocalEngine }, { createHttpHandler }] = await Promise.all([
          loadLocal(),
          loadHttpServer(),
        ])
        engine = await openLocalEngine({
          ...engineOptions(options),
          ...mailSettings(given, () => address),
          ...(publicUrl !== undefined && { tokenIssuer: publicUrl }),
          ...(signingKeyFile !== undefined && { signingKeyFile }),
          webhooks: { allow: webhookAllow, ownEndpoints: () => ownEndpoints },
          ...(given.webhookTraceparent === true && { sendsTraceparent: true }),
          deliveryRetentionDays: webhookRetentionDays,
          auditRetentionDays: given.auditRetentionDays,
          roles: ENGINE_ROLES.filter((role) => roles.includes(role)),
          telemetry,
        })
        const server = roles.includes('http')
          ? await listen(
              createHttpHandler(engine, {
                ...handlerOptions,
                mounts: { ...agentMounts(engine, agentOptions), ...consoleMounts(given.console, publicUrl) },
              }),
              {
                ...connectionSettings(given),
                host,
                port,
                metricsEndpoint: metrics?.endpoint,
                telemetry,
              },
            )
          : undefined
        address = server?.address ?? ''
        if (server !== undefined && options.databaseUrl === undefined)
          await noteServer(options.dataDir, publicUrl ?? reachable(address))
        if (server !== undefined) ownEndpoints = [...metricsEndpoints, server.endpoint]
        const ready = server === undefined ? `running ${roles.join(', ')}` : `listening on ${address}`
        const metricsAddress = metrics && { metrics: metrics.address }
        const result = { address: server?.address ?? null, ...metricsAddress, pid: process.pid }
        printResult(options, result, metrics === undefined ? ready : `${ready}, metrics on ${metrics.address}`)
        // Without a server, nothing else keeps the process alive.
        const alive = setInterval(() => undefined, ALIVE_MS)
        await interrupt.received.finally(() => clearInterval(alive))
        await server?.close()
      } finally {
        interrupt.stopListening()
        try {
          await engine?.close()
        } finally {
          await observation.close()
        }
        // A mail server that does not answer must not keep the process alive.
        if (engine !== undefined) setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
      }
    })
}

export function exportOpenapiCommand(): CommandUnknownOpts {
  return new Command('export-openapi')
    .description('print the OpenAPI 3.1 description of the REST API')
    .action(async (_given, command) => {
      const { describeApi } = await loadHttpServer()
      const { json } = command.optsWithGlobals() as { readonly json?: unknown }
      process.stdout.write(
        `${JSON.stringify(describeApi({ cookieLogins: true }), undefined, json === undefined ? 2 : 0)}\n`,
      )
    })
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Expected a port, 0 to 65535.')
}

function parseBytes(text: string): number {
  const bytes = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(bytes) && bytes > 0) return bytes
  throw new InvalidArgumentError('Expected a number of bytes.')
}

function parseRate(text: string): number {
  const rate = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(rate)) return rate
  throw new InvalidArgumentError('Expected a number of bytes; 0 for no limit.')
}

function parseRoles(text: string): string[] {
  const roles = parseList(text)
  if (roles.length > 0 && roles.every((role) => ROLES.includes(role))) return roles
  throw new InvalidArgumentError(`Expected a list of ${ROLES.join(', ')}.`)
}

function parseDays(text: string): number {
  const days = Number(text)
  if (/^\d{1,5}$/.test(text) && days >= 1 && days <= MAX_DAYS) return days
  throw new InvalidArgumentError(`Expected a number of days, 1 to ${MAX_DAYS}.`)
}

interface Interrupt {
  /** Resolves at the first signal. A second signal ends the process at once. */
  readonly received: Promise<void>
  readonly stopListening: () => void
}

function nextInterrupt(): Interrupt {
  let stopListening: () => void = () => undefined
  const received = new Promise<void>((resolve) => {
    stopListening = onInterrupt(() => resolve())
  })
  return { received, stopListening }
}

interface LimitOptions {
  readonly maxConnections?: number | undefined
  readonly maxConnectionsPerAddress?: number | undefined
  readonly trustedProxy?: readonly string[] | undefined
}

/** The options of the server that the user gave on the command line. */
function connectionSettings({ maxConnections, maxConnectionsPerAddress, trustedProxy }: LimitOptions): {
  readonly maxConnections?: number
  readonly maxConnectionsPerAddress?: number
  readonly trustedProxies?: readonly string[]
} {
  return {
    ...(maxConnections !== undefined && { maxConnections }),
    ...(maxConnectionsPerAddress !== undefined && { maxConnectionsPerAddress }),
    ...(trustedProxy !== undefined && { trustedProxies: trustedProxy }),
  }
}

/** The URL for other processes of this machine: a server that listens on all addresses also listens on this one. */
function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** True if a server that listens on an address takes ports of the host. */
function takesPortsOf(host: string, address: string): boolean {
  const hosts = host === 'localhost' ? ['127.0.0.1', '::1'] : [host]
  return hosts.includes(address) || [host, address].some((each) => each === '0.0.0.0' || each === '::')
}

/** Serves a handler. @throws InvalidInputError if the server cannot listen on the address, or an option is not valid */
async function listen(
  handler: HttpHandler,
  {
    metricsEndpoint,
    ...options
  }: ServeHttpOptions & {
    readonly host: string
    readonly port: number
    readonly metricsEndpoint: MetricsServer['endpoint'] | undefined
  },
): Promise<HttpServer> {
  const { serveHttp } = await loadHttpServer()
  const { host, port } = options
  const isSame = metricsEndpoint?.port === port && takesPortsOf(host, metricsEndpoint.address)
  const samePortOption = isSame ? '--metrics' : undefined
  const place = { host, port, field: '', hostOption: '--host', portOption: '--port', samePortOption }
  return await listening(place, async () => await serveHttp(handler, options))
}
