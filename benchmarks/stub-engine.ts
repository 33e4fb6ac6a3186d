import { openLocalEngine } from '../dist/adapters/local/index.js'
import type { Engine } from '../dist/src/index.js'
import { QuickModel } from '../test/ingestion/quick-model.js'
import { DIMENSIONS } from './clustered-vectors.js'

/** An engine in which a stub stands for the model. */
export async function openStubEngine(dataDir: string): Promise<Engine> {
  const embeddingModels = [await QuickModel.open({ dimensions: DIMENSIONS })]
  return await openLocalEngine({ dataDir, embeddingModels, limits: { searchesPerKey: 64 } })
}
