import type { EmbeddingModels } from '../documents/index.js'
import { ModelError } from '../kernel/errors.js'
import type { Storage } from '../ports/index.js'
import type { CheckRun, Finding } from './finding.js'

/** The problems that this check finds. They do not change between two check runs. */
const FOUNDATION_CODES: ReadonlySet<string> = new Set(['database-damaged', 'model-unusable'])

/** Checks the foundation: the database itself, and the embedding models. The engine cannot repair these problems. */
export class FoundationCheck {
  readonly #storage: Storage
  readonly #models: EmbeddingModels

  constructor(storage: Storage, models: EmbeddingModels) {
    this.#storage = storage
    this.#models = models
  }

  async run(checkRun: CheckRun): Promise<void> {
    const { recheck, findings, isThorough } = checkRun
    if (recheck !== undefined) {
      findings.push(...recheck.filter(({ code }) => FOUNDATION_CODES.has(code)))
      return
    }
    await this.#checkDatabase(checkRun)
    if (isThorough) await this.#checkModels(checkRun)
  }

  async #checkDatabase({ findings, isThorough, signal }: CheckRun): Promise<void> {
    for (const sentence of await this.#storage.verify({ isThorough, signal })) findings.push(databaseDamaged(sentence))
  }

  async #checkModels({ findings, checked, signal }: CheckRun): Promise<void> {
    for (const model of this.#models.ids) {
      signal.throwIfAborted()
      checked.models += 1
      try {
        await this.#models.get(model).verify()
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        const message = `Embedding model ${model} cannot be used: ${error.message} (${error.code}).`
        const advice = 'Restore the original files of the model, or reinstall the package.'
        findings.push({ code: 'model-unusable', subject: { model }, message, advice })
      }
    }
  }
}

export function databaseDamaged(sentence: string): Finding {
  const message = `The database is damaged: ${sentence.replace(/\.$/, '')}.`
  const advice = 'Restore a backup. Before that, copy the folder as it is, and change nothing in it.'
  return { code: 'database-damaged', subject: {}, message, advice }
}
