import { isIP } from 'node:net'
import {
  DestinationRefusedError,
  type ErrorReasonCode,
  errorReason,
  InvalidInputError,
  type ReasonArguments,
} from '../../src/ports/index.js'

/** The parts of a destination's URL that has an accepted form, name and port. */
export interface DestinationUrl {
  /** The normalised form: URLs with the same meaning have the same form. */
  readonly href: string
  /** A name in punycode without a dot at its end, or an address without brackets. */
  readonly hostname: string
  readonly isAddress: boolean
  readonly port: number
  /** The value of the header `host`: with brackets, and with the port unless it is 443. */
  readonly host: string
  /** With the query. */
  readonly path: string
}

const MAX_LENGTH = 2_048

/**
 * Source: RFC 6761, RFC 6762 with its appendix G, RFC 8375, and Kubernetes. ICANN reserves `internal` for private use,
 * and clouds use it for their metadata services. `test` is not in the list: the person who runs a test decides if such
 * a name resolves.
 */
const LOCAL_NAME = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/
/** Source: RFC 3172, RFC 6761, RFC 7686. */
const HOSTLESS_NAME = /(?:^|\.)(?:arpa|invalid|onion)$/
/** Source: RFC 1123, section 2.1, plus the underscore, which is in use. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

/**
 * The bad ports of the Fetch Standard, section "Port blocking". A server on such a port may take HTTP for its own
 * protocol.
 */
const BAD_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]
/** The ports of SQL Server, Oracle, MySQL, PostgreSQL, Redis, memcached and MongoDB. */
const DATABASE_PORTS = [1433, 1521, 3306, 5432, 6379, 11211, 27017]
const REFUSED_PORTS = new Set([...BAD_PORTS, ...DATABASE_PORTS])

/**
 * Parses a destination's URL by the URL Standard, as it will be dialled: `127.1` is an address.
 *
 * @throws InvalidInputError with the field `url` for a text that is not a URL of a destination
 * @throws DestinationRefusedError for a name or a port that is never contacted
 */
export function parseDestinationUrl(text: unknown): DestinationUrl {
  const url = parseUrl(text)
  const isAddress = url.hostname.startsWith('[') || isIP(url.hostname) !== 0
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? 443 : Number(url.port)
  if (!isAddress) checkName(hostname)
  if (REFUSED_PORTS.has(port)) {
    throw new DestinationRefusedError(`the port ${port} may not be contacted`, {
      reason: errorReason('refused-port', { port }),
    })
  }
  return { href: url.href, hostname, isAddress, port, host: url.host, path: url.pathname + url.search }
}

function parseUrl(text: unknown): URL {
  if (typeof text !== 'string') throw new InvalidInputError('url', 'must be a string')
  checkForm(text)
  if (!URL.canParse(text)) throw invalidUrlError('has a host or a port that is not valid', 'url-host-or-port')
  const url = new URL(text)
  // The dot of the root is not part of the name: certificates do not have it.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (url.href.length > MAX_LENGTH) {
    throw invalidUrlError(`must have at most ${MAX_LENGTH} characters, in punycode and escaped`, 'url-too-long', {
      max: MAX_LENGTH,
    })
  }
  return url
}

/** Refuses forms that the URL Standard would repair or drop: other programs read them differently. */
function checkForm(text: string): void {
  if (text.length > MAX_LENGTH)
    throw invalidUrlError(`must have at most ${MAX_LENGTH} characters`, 'too-long', { max: MAX_LENGTH })
  const [, authority] = /^https:\/\/([^/?#]*)/i.exec(text) ?? []
  if (authority === undefined) throw invalidUrlError('must begin with https://', 'not-https')
  if (/[\s\\\p{Cc}\p{Cs}]/u.test(text)) {
    throw invalidUrlError('must not have white space, control characters or backslashes', 'url-characters')
  }
  if (authority.includes('@')) throw invalidUrlError('must not have a user name or a password', 'url-credentials')
  if (text.includes('#')) throw invalidUrlError('must not have a fragment', 'url-fragment')
  if (authority === '') throw invalidUrlError('must name a host', 'no-host')
}

function checkName(name: string): void {
  if (!NAME.test(name)) throw invalidUrlError('has a host that is not a valid host name', 'url-host-name')
  if (!name.includes('.') || LOCAL_NAME.test(name)) {
    throw new DestinationRefusedError(`${name} is a name of a local network, which may not be contacted`, {
      reason: errorReason('local-name', { name }),
    })
  }
  if (HOSTLESS_NAME.test(name)) {
    throw new DestinationRefusedError(`${name} is not the name of a host on the internet`, {
      reason: errorReason('name-without-host', { name }),
    })
  }
}

function invalidUrlError<Code extends ErrorReasonCode>(
  problem: string,
  code: Code,
  ...parameters: ReasonArguments<Code>
): InvalidInputError {
  return new InvalidInputError('url', problem, { reason: errorReason(code, ...parameters) })
}
