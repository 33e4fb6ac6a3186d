import { InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { collect, option, parseCount } from './options.js'

/** Options of `serve` that limit the connections and uploads of clients of the API. */
export const HTTP_LIMIT_OPTIONS = {
  minUploadRate: (): Option<'--min-upload-rate <bytes>', undefined, undefined, undefined, false, number> =>
    option(
      '--min-upload-rate <bytes>',
      'lowest speed of an upload, in bytes a second; 0 for no limit; default: 1024',
    ).argParser(parseRate),
  maxConnections: (): Option<'--max-connections <number>', undefined, undefined, undefined, false, number> =>
    option('--max-connections <number>', 'most open connections; default: 1000').argParser(parseCount),
  maxConnectionsPerAddress: (): Option<
    '--max-connections-per-address <number>',
    undefined,
    undefined,
    undefined,
    false,
    number
  > =>
    option('--max-connections-per-address <number>', 'most open connections of one address; default: 100').argParser(
      parseCount,
    ),
  trustedProxy: (): Option<'--trusted-proxy <network>', undefined, undefined, undefined, false, string[]> =>
    option(
      '--trusted-proxy <network>',
      'proxy whose X-Forwarded-For header is trusted, such as 10.0.0.0/8; repeatable',
    ).argParser(collect),
} as const

interface LimitOptions {
  readonly maxConnections?: number | undefined
  readonly maxConnectionsPerAddress?: number | undefined
  readonly trustedProxy?: readonly string[] | undefined
}

/** The options of the server that the user gave on the command line. */
export function connectionSettings({ maxConnections, maxConnectionsPerAddress, trustedProxy }: LimitOptions): {
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

function parseRate(text: string): number {
  const rate = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(rate)) return rate
  throw new InvalidArgumentError('Expected a number of bytes; 0 for no limit.')
}
