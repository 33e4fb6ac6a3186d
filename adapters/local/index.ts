/** The default set of adapters, composed. */
export { type LocalEngineOptions, openLocalDatabase, openLocalEngine } from './open-local-engine.js'
