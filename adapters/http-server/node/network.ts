import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddress from 'proxy-addr'
import { InvalidInputError } from '../../../src/index.js'

/** Whether an address is a proxy's whose word on its client counts. */
export type IsTrusted = (address: string) => boolean

/**
 * Reads addresses and networks of proxies, such as `10.0.0.0/8`; `loopback`, `linklocal` and `uniquelocal`
 * are names of networks.
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
 * The address that a request came from. Where the peer is a trusted proxy, the last address of
 * `X-Forwarded-For` that is no trusted proxy's; the peer's own where that is not an address.
 */
export function clientAddress(request: IncomingMessage, isTrusted: IsTrusted): string | undefined {
  const peer = request.socket.remoteAddress
  if (peer === undefined) return undefined
  const forwarded = isTrusted(peer) ? proxyAddress(request, isTrusted) : peer
  return plain(isIP(forwarded) === 0 ? peer : forwarded)
}

/** An IPv4 address that a socket for both families wrote as one of IPv6. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}
