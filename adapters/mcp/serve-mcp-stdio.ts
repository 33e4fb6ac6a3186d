import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Session } from '../../src/index.js'
import { createMcpServer, type McpServerOptions } from './create-mcp-server.js'
import { OfferedContexts } from './offered-contexts.js'
import type { SessionSource } from './session-source.js'

export interface McpStdioOptions extends McpServerOptions {
  /** Default: `process.stdin`. */
  readonly input?: Readable
  /** Gets nothing but messages of the protocol. Default: `process.stdout`. */
  readonly output?: Writable
}

/** A connection over two streams. */
export interface McpConnection {
  /** Resolves when the client has ended the connection, or {@link close} was called. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/**
 * Serves one client over stdin and stdout. It offers what {@link createMcpServer} offers. Nothing else of the process
 * may write to stdout. The connection ends with the input.
 *
 * @param session the session of the user who started the process, or a {@link SessionSource}
 * @throws InvalidInputError for `contexts` that are not ids
 */
export function serveMcpStdio(session: Session | SessionSource, options: McpStdioOptions = {}): McpConnection {
  const { input = process.stdin, output = process.stdout, ...serverOptions } = options
  // An invalid option shows now, and not at the first message.
  new OfferedContexts(serverOptions.contexts)
  const transport = new EndingTransport(input, output)
  const handle = serveStdio(() => createMcpServer(session, serverOptions), {
    transport,
    onerror: (error) => options.telemetry?.record({ name: 'mcp.request.refused', level: 'debug', error }),
  })
  return {
    closed: transport.closed,
    close: async () => {
      await handle.close()
    },
  }
}

/** A transport that says when it has ended. */
class EndingTransport extends StdioServerTransport {
  readonly closed: Promise<void>
  #end: () => void = () => undefined

  constructor(input: Readable, output: Writable) {
    super(input, output)
    this.closed = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  override async close(): Promise<void> {
    await super.close()
    this.#end()
  }
}
