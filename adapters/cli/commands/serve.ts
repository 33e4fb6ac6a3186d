import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import { requireInitialized } from '../engines.js'
import { connectionSettings, HTTP_LIMIT_OPTIONS } from '../http-limits.js'
import { loadHttpServer, loadLocal } from '../loading.js'
import { LOG_LEVELS, Log } from '../log.js'
import { checkPublicUrl, MAIL_OPTIONS, mailSettings } from '../mail-settings.js'
import { collect, globalOptions, option, parseList } from '../options.js'
import { printResult } from '../output.js'
import { onInterrupt } from '../releasing.js'
import { listen } from '../serve-http.js'
import { webhookAllowOption } from '../webhook-allow.js'

const EXIT_DELAY_MS = 1_000
const MAX_DAYS = 36_500
const ENGINE_ROLES = ['ingest', 'relay'] as const
const ROLES: readonly string[] = ['http', ...ENGINE_ROLES]
const ROLES_TEXT = 'work of this process: http (the API), ingest (documents), relay (events and mails); default: all'

export function serveCommand(): CommandUnknownOpts {
  return new Command('serve')
    .description('serve the REST API, process documents, and send events and mails')
    .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(option('--port <number>', 'port to listen on; 0 picks a free one').argParser(parsePort).default(8_787))
    .addOption(option('--max-upload <bytes>', 'largest uploaded file, in bytes').argParser(parseBytes))
    .addOption(HTTP_LIMIT_OPTIONS.minUploadRate())
    .addOption(HTTP_LIMIT_OPTIONS.maxConnections())
    .addOption(HTTP_LIMIT_OPTIONS.maxConnectionsPerAddress())
    .addOption(HTTP_LIMIT_OPTIONS.trustedProxy())
    .addOption(option('--cors-origin <origin>', 'origin whose pages may call the API; repeatable').argParser(collect))
    .addOption(option('--log-level <level>', 'what to log on stderr').choices(LOG_LEVELS).default('info'))
    .addOption(option('--roles <roles>', ROLES_TEXT).argParser(parseRoles))
    .addOption(option('--signing-key-file <file>', 'file with the keys that sign access tokens'))
    .addOption(webhookAllowOption())
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
      const publicUrl = given.publicUrl === undefined ? undefined : checkPublicUrl(given.publicUrl)
      await requireInitialized(options)
      const telemetry = new Log(logLevel)
      const interrupted = nextInterrupt()
      let address = ''
      // No event may be sent to the server itself. Until it listens, the options give its address.
      let ownEndpoints = roles.includes('http') ? [{ address: host, port }] : []
      const handlerOptions = {
        corsOrigins: corsOrigin,
        telemetry,
        publicUrl: () => publicUrl ?? address,
        ...(maxUpload !== undefined && { maxUploadBytes: maxUpload }),
        ...(minUploadRate !== undefined && { minUploadBytesPerSecond: minUploadRate }),
      }
      const [{ openLocalEngine }, { createHttpHandler }] = await Promise.all([loadLocal(), loadHttpServer()])
      const engine = await openLocalEngine({
        ...options,
        ...mailSettings(given, () => address),
        ...(publicUrl !== undefined && { tokenIssuer: publicUrl }),
        ...(signingKeyFile !== undefined && { signingKeyFile }),
        webhooks: { allow: webhookAllow, ownEndpoints: () => ownEndpoints },
        deliveryRetentionDays: webhookRetentionDays,
        auditRetentionDays: given.auditRetentionDays,
        roles: ENGINE_ROLES.filter((role) => roles.includes(role)),
        telemetry,
      })
      try {
        const server = roles.includes('http')
          ? await listen(createHttpHandler(engine, handlerOptions), {
              ...connectionSettings(given),
              host,
              port,
              telemetry,
            })
          : undefined
        address = server?.address ?? ''
        if (server !== undefined) ownEndpoints = [server.endpoint]
        const ready = server === undefined ? `running ${roles.join(', ')}` : `listening on ${address}`
        printResult(options, { address: server?.address ?? null, pid: process.pid }, ready)
        await interrupted
        await server?.close()
      } finally {
        await engine.close()
        // A mail server that does not answer must not keep the process alive.
        setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
      }
    })
}

/** Resolves at the first signal. A second signal ends the process at once. */
async function nextInterrupt(): Promise<void> {
  await new Promise<void>((resolve) => {
    onInterrupt(() => resolve())
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

function parseDays(text: string): number {
  const days = Number(text)
  if (/^\d{1,5}$/.test(text) && days >= 1 && days <= MAX_DAYS) return days
  throw new InvalidArgumentError(`Expected a number of days, 1 to ${MAX_DAYS}.`)
}

function parseRoles(text: string): string[] {
  const roles = parseList(text)
  if (roles.length > 0 && roles.every((role) => ROLES.includes(role))) return roles
  throw new InvalidArgumentError(`Expected a list of ${ROLES.join(', ')}.`)
}
