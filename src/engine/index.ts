export type { Authentication } from './authentication.js'
export { createEngine } from './create-engine.js'
export type { Engine, EventOperations } from './engine.js'
export type { EngineOptions, EngineRole } from './engine-options.js'
export type { Health } from './health.js'
export type { HostAdministration } from './host-administration.js'
export type { Cancellable, ContextOperations, DocumentOperations, Session } from './session.js'
export type {
  AuditOperations,
  DeliveryOperations,
  DestinationOperations,
  PermissionOperations,
  UserOperations,
} from './sessions.js'
