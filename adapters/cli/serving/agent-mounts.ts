import type { Engine } from '../../../src/index.js'
import type { Telemetry } from '../../../src/ports/index.js'
import type { Mounts } from '../../http-server/index.js'
import { loadMcp } from '../engines/engines.js'
import { lazyHandler } from '../engines/lazy-handler.js'

const PATH = '/mcp'

interface AgentOptions {
  /** The address on which the server listens. */
  readonly host: string
  readonly publicUrl: string | undefined
  readonly allowedOrigins: readonly string[]
  readonly telemetry: Telemetry
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]']
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** The endpoint of agents, and its metadata. Loads the protocol's library at the first request for them. */
export function agentMounts(engine: Engine, options: AgentOptions): Mounts {
  const { publicUrl, allowedOrigins, telemetry } = options
  const allowedHosts = allowedHostsOf(options)
  const handle = lazyHandler(async () => {
    const { createMcpHandler } = await loadMcp()
    return createMcpHandler(engine, {
      path: PATH,
      allowedOrigins,
      telemetry,
      // Without a public URL, that of the request: clients compare it with the one that they called.
      ...(publicUrl !== undefined && { publicUrl }),
      ...(allowedHosts && { allowedHosts }),
    })
  })
  return { [PATH]: handle, '/.well-known/oauth-protected-resource/*': handle }
}

/** A server that only this machine reaches answers no name to which a foreign page may have led the browser. */
function allowedHostsOf({ host, publicUrl }: AgentOptions): readonly string[] | undefined {
  if (!LOOPBACK.test(host)) return undefined
  const publicNames = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return [...LOCAL_NAMES, host.includes(':') ? `[${host}]` : host, ...publicNames]
}
