import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection to a server whose network can fail silently. */
export interface SilentProxy {
  /** The server's URL, through the proxy. */
  readonly url: string
  /** From now on the proxy forwards nothing and closes nothing, for existing and for new connections. */
  silence(): void
  /** The proxy forwards new connections. The others stay silent. */
  letNewThrough(): void
  /** Cuts all connections. New ones are as before. */
  cut(): void
  dispose(): Promise<void>
}

/** Starts a proxy in front of a server. */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isSilent = false
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  const server = createServer((incoming) => {
    keep(incoming)
    if (isSilent) return
    const outgoing = keep(connect(Number(target.port || 5_432), target.hostname))
    incoming.pipe(outgoing).pipe(incoming)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    silence: () => {
      isSilent = true
      for (const socket of sockets) socket.unpipe()
      for (const socket of sockets) socket.pause()
    },
    letNewThrough: () => {
      isSilent = false
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    dispose: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
