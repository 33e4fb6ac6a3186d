export { ASSISTANT, type Context, findReadable, findWritable } from './context.js'
export {
  type ContextChanges,
  type ContextSettings,
  contextBodySchema,
  contextChangesBodySchema,
  DEFAULT_MAX_SIZE_BYTES,
  type NewChunkSettings,
  type NewContext,
  settingsBodySchema,
} from './context-input.js'
export { type ContextReindexingView, type ContextSettingsView, ReadContextSettings } from './context-settings.js'
export { Contexts, type ShareInput, shareSchema } from './contexts.js'
export {
  type HandedOver,
  type HandOverAllInput,
  HandOverContexts,
  type HandOverInput,
  handOverAllSchema,
  handOverSchema,
} from './hand-over.js'
export {
  type ContextReindexProgress,
  ReindexAll,
  type ReindexAllOptions,
} from './reindex-all.js'
export { enqueueReindex, isRemovingGenerations, REINDEX_CONTEXT } from './reindexing.js'
export { PURGE_ACCOUNT, PURGE_CONTEXT, RemoveContexts, removeContext } from './remove-contexts.js'
export { type RunAgentTool, storedToolsOf, type Tool, type ToolParameter, toolsOf } from './tool.js'
export {
  type ChatTool,
  type FunctionCall,
  readToolCall,
  type ToolArgumentsSchema,
  type ToolCall,
  type ToolFunction,
  type ToolValue,
  toChatTool,
  toJsonSchema,
} from './tool-function.js'
export { clearAway, recordAway, WaitingReasons } from './waiting.js'
