import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { Engine } from '../../dist/src/index.js'
import type { EmbeddingModel, EmbedOptions } from '../../dist/src/ports/index.js'
import { QuickModel } from '../../test/ingestion/quick-model.js'
import { DIMENSIONS } from './clustered-vectors.js'
import { openDefaultModel } from './default-model.js'

const LIMITS = { searchesPerKey: 64 }
/** The id of the first word in the vocabulary. Words are sorted by frequency. */
const FIRST_WORD = 1_996

/** Opens an engine with a stub in place of the model. */
export async function openStubEngine(dataDir: string): Promise<Engine> {
  const embeddingModels = [await QuickModel.open({ dimensions: DIMENSIONS })]
  return await openLocalEngine({ dataDir, embeddingModels, limits: LIMITS })
}

/** As {@link openStubEngine}, with a stub that makes texts similar if they share rare words. */
export async function openRareWordsEngine(dataDir: string): Promise<Engine> {
  return await openLocalEngine({ dataDir, embeddingModels: [await openRareWordsModel()], limits: LIMITS })
}

/**
 * As {@link openRareWordsEngine}, but the default model also embeds each question, so that a search takes its real
 * time.
 */
export async function openAskedEngine(dataDir: string): Promise<Engine> {
  const [quick, real] = await Promise.all([openRareWordsModel(), openDefaultModel()])
  const model: EmbeddingModel = {
    profile: quick.profile,
    tokenizer: async () => await quick.tokenizer(),
    verify: async () => await quick.verify(),
    embed: async (texts: readonly string[], options: EmbedOptions) => {
      const [vectors] = await Promise.all([
        quick.embed(texts, options),
        options.kind === 'query' ? real.embed(texts, options) : undefined,
      ])
      return vectors
    },
    close: async () => {
      await Promise.all([quick.close(), real.close()])
    },
  }
  return await openLocalEngine({ dataDir, embeddingModels: [model], limits: LIMITS })
}

async function openRareWordsModel(): Promise<QuickModel> {
  // By Zipf's law, the logarithm of a word's rank is the logarithm of its rarity.
  const weightOf = (id: number): number => (id <= FIRST_WORD ? 0.1 : Math.log(id - FIRST_WORD + 1))
  return await QuickModel.open({ dimensions: DIMENSIONS, weightOf })
}
