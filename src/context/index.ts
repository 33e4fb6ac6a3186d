export type { Context } from './context.js'
export { ASSISTANT, findReadable, findWritable } from './context-access.js'
export {
  type ContextChanges,
  type ContextSettings,
  contextBodySchema,
  contextChangesBodySchema,
  type NewContext,
} from './context-input.js'
export { CreateContext } from './create-context.js'
export { DeleteContext } from './delete-context.js'
export { GetContext } from './get-context.js'
export { ListContexts } from './list-contexts.js'
export { PURGE_ACCOUNT, PURGE_CONTEXT, RemoveContexts, removeContext } from './remove-contexts.js'
export { ShareContext, type ShareInput, shareSchema } from './share-context.js'
export { UpdateContext } from './update-context.js'
