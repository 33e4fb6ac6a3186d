import type { SettingRepository } from '../ports/index.js'

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

/**
 * All companies read this sentence. So it has no address, and no words of the server: those are in the telemetry.
 *
 * @param waits the subject that waits, such as `the document`
 * @returns a sentence that ends in its code; null if no document of the model has waited of late
 */
export async function waitingSentence(
  settings: SettingRepository,
  embeddingModel: string,
  now: Date,
  waits: string,
): Promise<string | null> {
  const silenceMs = now.getTime() - Date.parse((await settings.get(keyOf(embeddingModel))) ?? '')
  // Without a valid time, this is not a number.
  if (!(silenceMs <= LONGEST_SILENCE_MS)) return null
  return `the server of the embedding model ${embeddingModel} is away; ${waits} waits for it (ERR_MODEL_UNAVAILABLE)`
}
