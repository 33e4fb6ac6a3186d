import { errorReason, ModelError } from '../kernel/errors.js'
import type { EmbeddingProfile } from '../ports/index.js'

/** Names of the available embedding models. The first one is the default. */
export interface KnownModels {
  readonly ids: readonly string[]
  get(id: string): { readonly profile: Pick<EmbeddingProfile, 'dimensions' | 'windowTokens'> }
}

/**
 * @param id default: the first model
 * @returns the name of a known model
 * @throws ModelError `ERR_MODEL_UNKNOWN`
 */
export function requireModel({ ids }: Pick<KnownModels, 'ids'>, id: string | undefined): string {
  const model = id === undefined ? ids[0] : ids.find((known) => known === id)
  if (model !== undefined) return model
  const models = ids.join(', ')
  throw new ModelError('ERR_MODEL_UNKNOWN', `settings.embeddingModel: no model named ${id}; known: ${models}`, {
    reason: errorReason('unknown-model', { model: String(id), models }),
  })
}
