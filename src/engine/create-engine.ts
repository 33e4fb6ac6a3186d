import type { Engine } from './engine.js'
import type { EngineOptions } from './engine-options.js'

/**
 * Composes an engine from ports, opens its storage and starts its workers.
 *
 * On an empty storage it makes the root company, its accounts, the system-wide
 * roles and the owner. If it fails, the ports are closed.
 *
 * @throws SchemaTooNewError where a newer version wrote the storage
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  // Imported when it is needed: importing the package must cost a host nothing.
  const { composeEngine } = await import('./composed-engine.js')
  return await composeEngine(options)
}
