import type { UnwritableDisk } from '../jobs/index.js'
import { type AlcoveError, ModelError } from '../kernel/errors.js'
import type { Clock, SettingRepository } from '../ports/index.js'

/** Each waiting document tries again after 60 s at most, and records that it still waits. */
const LONGEST_SILENCE_MS = 120_000

function keyOf(embeddingModel: string): string {
  return `model.away.${embeddingModel}`
}

/** Records that documents wait, because the server of their model is away. */
export async function recordAway(settings: SettingRepository, embeddingModel: string, now: Date): Promise<void> {
  await settings.put(keyOf(embeddingModel), now.toISOString())
}

/** Forgets that documents wait: the model has embedded one. */
export async function clearAway(settings: SettingRepository, embeddingModel: string): Promise<void> {
  const key = keyOf(embeddingModel)
  if (((await settings.get(key)) ?? '') !== '') await settings.put(key, '')
}

/** The reasons for which documents wait that are neither completed nor failed. */
export class WaitingReasons {
  /** @param unwritableDisk the one of the workers of this process that process documents and re-index contexts */
  constructor(
    private readonly clock: Clock,
    private readonly unwritableDisk: UnwritableDisk,
  ) {}

  /**
   * All companies read its message. So it has no address, and no words of a server: those are in the telemetry.
   *
   * @param waits the subject that waits, such as `the document`
   * @returns undefined if no document of the model has waited of late
   */
  async find(settings: SettingRepository, embeddingModel: string, waits: string): Promise<AlcoveError | undefined> {
    const silenceMs = this.clock.now().getTime() - Date.parse((await settings.get(keyOf(embeddingModel))) ?? '')
    // Without a valid time, this is not a number.
    if (!(silenceMs <= LONGEST_SILENCE_MS)) return this.unwritableDisk.error
    return new ModelError(
      'ERR_MODEL_UNAVAILABLE',
      `the server of the embedding model ${embeddingModel} is away; ${waits} waits for it`,
    )
  }

  /** As {@link find}: a sentence that ends in its code, or null. */
  async sentence(settings: SettingRepository, embeddingModel: string, waits: string): Promise<string | null> {
    const error = await this.find(settings, embeddingModel, waits)
    return error === undefined ? null : `${error.message} (${error.code})`
  }
}
