import type { Engine } from './engine.js'
import type { EngineOptions } from './engine-options.js'

/**
 * Composes an engine from ports, opens its storage and starts its workers.
 *
 * On an empty storage, it creates the root company, its accounts, the system-wide roles and the owner. If the call
 * fails, it closes all ports.
 *
 * @throws InvalidInputError for an option that is missing or invalid
 * @throws SchemaTooNewError if a newer version wrote the storage
 * @throws SchemaTooOldError if the storage is from a version that this one cannot update
 * @throws SecretKeyError if the storage was written with another `secretKey`
 * @throws NotInitializedError if `isWorking` is false and the storage is empty
 * @throws StorageError if the storage cannot be opened
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  // A dynamic import, so that the import of the package costs a host nothing.
  const { composeEngine } = await import('./composed-engine.js')
  return await composeEngine(options)
}
