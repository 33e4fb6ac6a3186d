import type { EmbeddingModels } from '../documents/index.js'
import { ModelError } from '../kernel/errors.js'
import type { Storage } from '../ports/index.js'
import type { Finding, Look } from './finding.js'

/** Checks what everything stands on: the database itself, and the embedding models. Nothing here is mended. */
export class FoundationCheck {
  readonly #storage: Storage
  readonly #models: EmbeddingModels

  constructor(storage: Storage, models: EmbeddingModels) {
    this.#storage = storage
    this.#models = models
  }

  async run(look: Look): Promise<void> {
    // It does not change from one look to the next.
    if (look.only !== undefined) look.found.push(...look.only.filter(({ code }) => OWN_CODES.has(code)))
    else {
      await this.#database(look)
      if (look.isThorough) await this.#checkModels(look)
    }
  }

  async #database({ found, isThorough, signal }: Look): Promise<void> {
    for (const sentence of await this.#storage.verify({ isThorough, signal })) {
      found.push(databaseDamaged(sentence))
    }
  }

  async #checkModels({ found, checked, signal }: Look): Promise<void> {
    for (const model of this.#models.ids) {
      signal.throwIfAborted()
      checked.models += 1
      try {
        await this.#models.get(model).verify()
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        const message = `Embedding model ${model} cannot be used: ${error.message} (${error.code}).`
        const advice = 'Put the original files of the model back, or install the package again.'
        found.push({ code: 'model-unusable', subject: { model }, message, advice })
      }
    }
  }
}

export function databaseDamaged(sentence: string): Finding {
  const message = `The database is damaged: ${sentence.replace(/\.$/, '')}.`
  const advice = 'Restore a backup; until then copy the folder as it is, and change nothing in it.'
  return { code: 'database-damaged', subject: {}, message, advice }
}

const OWN_CODES: ReadonlySet<string> = new Set(['database-damaged', 'model-unusable'])
