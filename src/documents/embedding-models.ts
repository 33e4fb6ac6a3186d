import { ModelError } from '../kernel/errors.js'
import type { EmbeddingModel, TokenCounter } from '../ports/index.js'

/** The embedding models of an engine, by the id that contexts store. */
export class EmbeddingModels {
  readonly #models: ReadonlyMap<string, EmbeddingModel>

  /** @param models the first one is the default for new contexts */
  constructor(models: readonly EmbeddingModel[]) {
    this.#models = new Map(models.map((model) => [model.profile.id, model]))
  }

  get ids(): readonly string[] {
    return [...this.#models.keys()]
  }

  /** @throws ModelError `ERR_MODEL_UNKNOWN` */
  get(id: string): EmbeddingModel {
    const model = this.#models.get(id)
    if (model !== undefined) return model
    throw new ModelError(
      'ERR_MODEL_UNKNOWN',
      `the engine does not have the context's embedding model ${id}; it has ${this.ids.join(', ')}: open it with that model too`,
    )
  }

  /** @throws ModelError if the default model cannot be used */
  async check(): Promise<void> {
    for (const model of this.#models.values()) {
      await model.tokenizer()
      return
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#models.values()].map((model) => model.close()))
  }
}

/** Most tokens of text in a window: the model's limit, less its special tokens and its prefix. */
export function windowTokensFor(model: EmbeddingModel, counter: TokenCounter, kind: 'query' | 'passage'): number {
  const { windowTokens, queryPrefix, passagePrefix } = model.profile
  return windowTokens - counter.specialTokens - counter.count(kind === 'query' ? queryPrefix : passagePrefix)
}
