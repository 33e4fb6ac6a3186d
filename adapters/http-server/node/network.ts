import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddress from 'proxy-addr'
import { InvalidInputError } from '../../../src/index.js'

/** True for the address of a proxy whose `X-Forwarded-For` header is trusted. */
export type IsTrusted = (address: string) => boolean

/**
 * Parses addresses and networks of proxies, such as `10.0.0.0/8`. The names `loopback`, `linklocal` and `uniquelocal`
 * stand for networks.
 *
 * @throws InvalidInputError
 */
export function trustOf(proxies: readonly string[] = []): IsTrusted {
  if (proxies.length === 0) return () => false
  try {
    const isTrusted = proxyAddress.compile([...proxies])
    return (address) => isTrusted(address, 0)
  } catch (error) {
    throw new InvalidInputError('trustedProxies', 'must be addresses and networks such as 10.0.0.0/8', { cause: error })
  }
}

/**
 * The address of the client. If the peer is a trusted proxy, it is the last address in `X-Forwarded-For` that is not a
 * trusted proxy. If that is no valid address, it is the address of the peer.
 */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrusted): string | undefined {
  const peer = request.socket.remoteAddress
  if (peer === undefined) return undefined
  const forwarded = isTrusted(peer) ? proxyAddress(request, isTrusted) : peer
  return toPlainIpv4(isIP(forwarded) === 0 ? peer : forwarded)
}

/** Converts an IPv4 address in IPv6 form, as a socket for both families writes it, back to IPv4. */
function toPlainIpv4(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}
