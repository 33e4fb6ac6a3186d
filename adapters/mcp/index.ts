/** Contexts and documents for agents, by the Model Context Protocol: over HTTP, over stdio, or by a transport of the host. */
export type { Authenticate, HeldBytes, LoginInfo, LoginOptions, PublicUrl } from '../node-kit/index.js'
export { createMcpHandler, type McpHandler } from './create-mcp-handler.js'
export { createMcpServer, type McpServerOptions } from './create-mcp-server.js'
export type { McpHandlerOptions, McpRequestInfo } from './http/mcp-handler-options.js'
export { type McpConnection, type McpStdioOptions, serveMcpStdio } from './serve-mcp-stdio.js'
export type { SessionSource } from './session-source.js'
