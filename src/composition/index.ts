export { createEngine } from './create-engine.js'
export type { Engine } from './engine.js'
export type { EngineOptions } from './engine-options.js'
export type { Cancellable, ContextOperations, DocumentOperations, Session } from './session.js'
