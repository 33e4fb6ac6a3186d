import { InvalidInputError, ModelError } from '../kernel/errors.js'
import { pause } from '../kernel/scheduling/abort.js'
import type { EmbeddingModel, TokenCounter } from '../ports/index.js'

/** Longest wait for the answer of a model that may be away. */
const MAX_CHECK_MS = 1_000

/** An embedding model, for people who operate an engine. */
export interface ModelState {
  readonly id: string
  /** True for the default of new contexts. */
  readonly isDefault: boolean
  /** `remote`: a server computes the vectors. */
  readonly kind: 'local' | 'remote'
  readonly dimensions: number
  /** Most tokens of one input, with special tokens and prefix. */
  readonly windowTokens: number
  /** True if its weights are in memory; null if the engine does not know. */
  readonly isLoaded: boolean | null
}

/** The embedding models of an engine, by the id that contexts store. */
export class EmbeddingModels {
  readonly #models: ReadonlyMap<string, EmbeddingModel>

  /**
   * @param models the first one is the default for new contexts
   * @throws InvalidInputError if two models have the same id
   */
  constructor(models: readonly EmbeddingModel[]) {
    const ids = models.map(({ profile }) => profile.id)
    const repeated = ids.find((id, at) => ids.indexOf(id) !== at)
    if (repeated !== undefined) {
      const advice = 'give one of them another id (id of remoteModels, --embedding-id, or the name of its folder)'
      throw new InvalidInputError('embeddingModels', `two models have the id ${repeated}: ${advice}`)
    }
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

  /** Describes the models. Asks none of them. */
  get states(): readonly ModelState[] {
    return [...this.#models.values()].map((model): ModelState => {
      const { id, dimensions, windowTokens } = model.profile
      const kind = model.checkAvailable === undefined ? 'local' : 'remote'
      return {
        id,
        isDefault: model === this.#default,
        kind,
        dimensions,
        windowTokens,
        isLoaded: model.isLoaded ?? null,
      }
    })
  }

  /** Asks each model that runs elsewhere. @returns by id: false for a model that is away, or does not answer at once */
  async available(): Promise<ReadonlyMap<string, boolean>> {
    const available = [...this.#models].map(async ([id, model]): Promise<[string, boolean]> => {
      const check = async (): Promise<void> => await model.checkAvailable?.()
      let isAvailable = false
      const checked = check().then(
        () => {
          isAvailable = true
        },
        () => undefined,
      )
      // A check takes time only after failures.
      await pause(MAX_CHECK_MS, checked)
      return [id, isAvailable]
    })
    return new Map(await Promise.all(available))
  }

  /** @throws ModelError if the default model cannot be used, or a model that runs elsewhere is away */
  async check(): Promise<void> {
    await this.#default?.tokenizer()
    for (const model of this.#models.values()) await model.checkAvailable?.()
  }

  /**
   * Loads models, so that the first search and the first document do not wait for that: embeds a word with each.
   *
   * @param ids default: the default model
   * @throws ModelError
   */
  async warmUp(ids: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    const models = ids?.map((id) => this.get(id)) ?? [this.#default]
    for (const model of models) {
      await model?.tokenizer()
      // A server may need long to load its model, longer than a user waits for a search.
      await model?.embed(['warm'], { kind: 'query', isUrgent: false, signal })
    }
  }

  get #default(): EmbeddingModel | undefined {
    return this.#models.values().next().value
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
