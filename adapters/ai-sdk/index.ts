/** Tools for the Vercel AI SDK, version 5 and later, as plain objects: this entry does not import the SDK. */
export { type AgentRun, agentTools, type RunAgent } from './agent-tools.js'
export type { AiTool, AiToolOptions } from './ai-tool.js'
export {
  type FoundPassage,
  type SearchToolInput,
  type SearchToolOptions,
  type SearchToolOutput,
  searchTool,
} from './search-tool.js'
