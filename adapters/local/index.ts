/** The default engine: a composition of adapters, with the tools for its data folder. */

export type { ModelProfileChanges, ModelSource } from '../device/index.js'
export * from '../tools/index.js'
export { findHolder, noteServer } from './folder/data-dir-lock.js'
export { withNewDataDir } from './folder/new-data-dir.js'
export { openLocalDatabase, requireLocalDatabase } from './open-local-database.js'
export { openLocalEngine } from './open-local-engine.js'
export type { LocalEngineOptions } from './options/local-engine-options.js'
