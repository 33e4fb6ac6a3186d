/** The default set of adapters, composed. */
export {
  type LocalEngineOptions,
  openLocalDatabase,
  openLocalEngine,
  requireLocalDatabase,
} from './open-local-engine.js'
