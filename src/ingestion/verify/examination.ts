import { StorageError } from '../../shared/errors.js'
import { pause } from '../../shared/pause.js'
import type { ContextCheck } from './context-check.js'
import { type Finding, type Look, newLook, stillFound } from './finding.js'
import { databaseDamaged, type FoundationCheck } from './foundation-check.js'
import type { LeftoverCheck } from './leftover-check.js'
import type { Checked } from './problem.js'

/** Documents come and go meanwhile: what looks wrong is looked at so often again before it is told. */
const SECOND_LOOKS = 2
const BETWEEN_LOOKS_MS = 150

export type ExaminationOptions = Pick<Look, 'isThorough' | 'signal' | 'onDocuments'>

/** Looks at everything, and again at what seems to be wrong. */
export class Examination {
  readonly #foundation: FoundationCheck
  readonly #contexts: ContextCheck
  readonly #leftovers: LeftoverCheck

  constructor(foundation: FoundationCheck, contexts: ContextCheck, leftovers: LeftoverCheck) {
    this.#foundation = foundation
    this.#contexts = contexts
    this.#leftovers = leftovers
  }

  async run(
    options: ExaminationOptions,
  ): Promise<{ readonly findings: readonly Finding[]; readonly checked: Checked }> {
    const { found, checked } = await this.#look(newLook(options))
    return { findings: await this.#lookAgain(found, SECOND_LOOKS, options), checked }
  }

  /** Which of the findings are there still. */
  async again(findings: readonly Finding[], options: ExaminationOptions): Promise<readonly Finding[]> {
    const { found } = await this.#look(newLook({ ...options, only: findings }))
    return await this.#lookAgain(stillFound(findings, found), SECOND_LOOKS, options)
  }

  async #lookAgain(
    findings: readonly Finding[],
    times: number,
    options: ExaminationOptions,
  ): Promise<readonly Finding[]> {
    if (findings.length === 0 || times === 0) return findings
    await pause(BETWEEN_LOOKS_MS, options.signal)
    const { found } = await this.#look(newLook({ ...options, onDocuments: () => undefined, only: findings }))
    return await this.#lookAgain(stillFound(findings, found), times - 1, options)
  }

  async #look(look: Look): Promise<Look> {
    await this.#foundation.run(look)
    const isDamaged = look.found.some(({ code }) => code === 'database-damaged')
    try {
      await this.#contexts.run(look)
      await this.#leftovers.run(look)
    } catch (error) {
      // As far as it goes: what cannot be read is not known to be wrong.
      if (!(error instanceof StorageError) || (error.isTransient && !isDamaged)) throw error
      if (!isDamaged) look.found.push(databaseDamaged(`It cannot be read: ${error.message}`))
    }
    return look
  }
}
