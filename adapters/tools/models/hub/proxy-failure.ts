import { isError } from '../../../../src/ports/index.js'
import { codeOf } from '../../../node-kit/index.js'
import type { NamedProxy } from './hub-fetch.js'

/** The package `undici` has no code for a proxy that opens no tunnel. */
const NO_TUNNEL = /^Proxy response \((\d+)\)/

/** True for a proxy that opens no tunnel without a user and a password. */
export function isRefusalOfProxy(cause: unknown): boolean {
  return errorsIn(cause).some(({ message }) => NO_TUNNEL.exec(message)?.[1] === '407')
}

/** @returns the beginning of a sentence, if the connection to a proxy failed, or if it opened no tunnel */
export function failureOfProxy(cause: unknown, proxies: readonly NamedProxy[]): string | undefined {
  const errors = errorsIn(cause)
  for (const error of errors) {
    const status = NO_TUNNEL.exec(error.message)?.[1]
    // A proxy for https may also be one of http. The first is that of the endpoint.
    const answering = status === undefined ? undefined : proxies[0]
    if (answering !== undefined) return `${nameOf(answering)} answers with ${status ?? ''}`
    const away = proxies.find((proxy) => isAt(error, proxy))
    if (away !== undefined) return `${nameOf(away)} cannot be reached (${codeOf(error) ?? error.message})`
  }
  return undefined
}

/** True for a failure at an address that is known. Without one, it may be that of a proxy. */
export function namesAddress(cause: unknown): boolean {
  return errorsIn(cause).some(({ hostname, address }) => hostname !== undefined || address !== undefined)
}

/** The variable may have a user and a password, so the host alone is shown. */
function nameOf({ variable, url }: NamedProxy): string {
  return `the proxy ${url.host} of ${variable}`
}

interface NetworkError extends Error {
  readonly hostname?: unknown
  readonly address?: unknown
  readonly port?: unknown
  /** Those of several addresses. */
  readonly errors?: unknown
}

/** An error of Node names the host that has no address, or the address and the port. An error of a timeout has a text alone. */
function isAt(error: NetworkError, { url: { hostname, port: given, protocol } }: NamedProxy): boolean {
  const port = given === '' ? DEFAULT_PORTS[protocol] : Number(given)
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  if (error.hostname !== undefined) return error.hostname === bare
  if (error.message.includes(`address: ${hostname}:${port ?? ''},`)) return true
  // The address of a host by name is not known here: its port tells it from the endpoint.
  const isSameHost = /^[\d.]+$|:/.test(bare) ? error.address === bare : error.address !== undefined
  return isSameHost && error.port === port
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** An error with its causes, and those that it collects for several addresses of one host. */
function errorsIn(error: unknown): readonly NetworkError[] {
  if (!isError(error)) return []
  const { errors, cause } = error as NetworkError
  const collected: readonly unknown[] = Array.isArray(errors) ? errors : []
  return [error, ...[...collected, cause].flatMap(errorsIn)]
}
