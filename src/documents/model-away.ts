import type { ContextRecord, DocumentRecord, Repositories, SettingRepository } from '../ports/index.js'
import { isUnfinished } from './document.js'

/** The key of the sentence that says why the documents of a model wait. */
export function awayKey(embeddingModel: string): string {
  return `model.away.${embeddingModel}`
}

/** Forgets why documents wait: the model has embedded one. */
export async function clearAway(settings: SettingRepository, embeddingModel: string): Promise<void> {
  const key = awayKey(embeddingModel)
  if (((await settings.get(key)) ?? '') !== '') await settings.put(key, '')
}

/** @returns the sentence that says why a document waits, as its last attempt recorded it; null if it does not wait */
export async function waitingFor(
  { settings }: Repositories,
  document: DocumentRecord,
  { embeddingModel }: ContextRecord,
): Promise<string | null> {
  if (!isUnfinished(document)) return null
  const sentence = await settings.get(awayKey(embeddingModel))
  return sentence === undefined || sentence === '' ? null : sentence
}
