import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FormerStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FormerHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as FormerTransport } from '@modelcontextprotocol/sdk/shared/transport.js'

/** The answer of a tool. */
interface ToolResult {
  readonly isError?: boolean | undefined
  readonly content?: unknown
  readonly structuredContent?: unknown
}

interface Paged {
  readonly nextCursor?: string | undefined
}

/** The calls that the clients of both libraries have. */
export interface AgentClient {
  listTools(): Promise<{
    tools: { name: string; inputSchema: object; outputSchema?: object | undefined; annotations?: object | undefined }[]
  }>
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<ToolResult>
  listResources(page?: {
    cursor: string
  }): Promise<Paged & { resources: { uri: string; name: string; mimeType?: string | undefined }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  readResource(resource: { uri: string }): Promise<{ contents: { uri: string; text?: string }[] }>
  listPrompts(page?: {
    cursor: string
  }): Promise<Paged & { prompts: { name: string; title?: string | undefined; arguments?: unknown }[] }>
  getPrompt(prompt: {
    name: string
    arguments?: Record<string, string>
  }): Promise<{ messages: { role: string; content: unknown }[] }>
  getServerVersion(): { name: string; version: string } | undefined
  getInstructions(): string | undefined
  close(): Promise<void>
}

/** A client of the protocol's own libraries, at one revision. */
export interface AgentKind {
  readonly name: string
  /** The revision that client and server agree on. */
  readonly revision: string
  overHttp(url: string, options: HttpOptions): Promise<AgentClient>
  overStdio(command: StdioCommand): Promise<AgentClient>
}

interface HttpOptions {
  /** A bearer token. */
  readonly token?: string
  /** Answers the requests instead of the network. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
}

interface StdioCommand {
  readonly command: string
  readonly args: string[]
  readonly cwd: string
  readonly stderr: 'ignore' | 'inherit'
}

const IDENTITY = { name: 'test-agent', version: '1.0.0' }

function httpOptions({ token, fetch }: HttpOptions) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return { requestInit: { headers }, ...(fetch && { fetch }) }
}

async function connect(transport: Transport, mode: 'legacy' | { pin: string }): Promise<AgentClient> {
  const client = new Client(IDENTITY, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

async function connectFormer(transport: FormerTransport): Promise<AgentClient> {
  const client = new FormerClient(IDENTITY)
  await client.connect(transport)
  return client as unknown as AgentClient
}

/** The revision of this year, that of last year by the same library, and that of last year by last year's library. */
export const AGENT_KINDS: readonly AgentKind[] = [
  {
    name: 'client of 2026',
    revision: '2026-07-28',
    overHttp: async (url, options) =>
      await connect(new StreamableHTTPClientTransport(new URL(url), httpOptions(options)), { pin: '2026-07-28' }),
    overStdio: async (command) => await connect(new StdioClientTransport(command), { pin: '2026-07-28' }),
  },
  {
    name: 'client of 2026 that speaks as in 2025',
    revision: '2025-11-25',
    overHttp: async (url, options) =>
      await connect(new StreamableHTTPClientTransport(new URL(url), httpOptions(options)), 'legacy'),
    overStdio: async (command) => await connect(new StdioClientTransport(command), 'legacy'),
  },
  {
    name: 'client of 2025',
    revision: '2025-11-25',
    overHttp: async (url, options) => await connectFormer(new FormerHttpTransport(new URL(url), httpOptions(options))),
    overStdio: async (command) => await connectFormer(new FormerStdioTransport(command)),
  },
]

/** The text of a tool's answer. */
export function textOf({ content }: ToolResult): string {
  return (content as { readonly text: string }[]).map(({ text }) => text).join('\n')
}
