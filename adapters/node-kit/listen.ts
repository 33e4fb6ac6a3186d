import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The place at which a server listens. */
export interface Listening {
  /** The URL, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** The address and port, for `webhooks.ownEndpoints` of `openLocalEngine`. */
  readonly endpoint: { readonly address: string; readonly port: number }
}

/** @throws Error of `node:net` if the address is in use or not allowed */
export async function listen(server: Server, host: string, port: number): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
  return { url, endpoint: { address, port: bound } }
}
