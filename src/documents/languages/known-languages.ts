import type { EmbeddingModel, SettingRepository, SimilarityScale } from '../../ports/index.js'

/** The languages of the sample that measures the scale of a model. */
const SAMPLE_LANGUAGES = ['en', 'de', 'fr', 'es', 'fi', 'ru', 'ar', 'hi', 'ko', 'zh', 'ja'] as const

export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]

/** The ISO 639 code of a language tag: `fi` of `fi-FI`. @returns `undefined` for a text that is none, and for none */
export function languageCodeOf(tag: string | undefined): string | undefined {
  try {
    return tag === undefined ? undefined : new Intl.Locale(tag).language
  } catch {
    return undefined
  }
}

/** The setting that has the scale of a model. Another sample needs another key. */
export function similarityKeyOf({ profile: { fingerprint } }: Pick<EmbeddingModel, 'profile'>): string {
  return `model.similarity.1.${fingerprint}`
}

/** Reads the scale of a model that was measured. @returns `undefined` before that */
export async function readScale(
  settings: Pick<SettingRepository, 'get'>,
  model: Pick<EmbeddingModel, 'profile'>,
): Promise<SimilarityScale | undefined> {
  const text = await settings.get(similarityKeyOf(model))
  try {
    return text === undefined ? undefined : (JSON.parse(text) as SimilarityScale)
  } catch {
    return undefined
  }
}

/** @returns the languages of the sample that a model knows; `undefined` if it knows none, or was not measured yet */
export async function knownLanguages(
  settings: Pick<SettingRepository, 'get'>,
  model: Pick<EmbeddingModel, 'profile'>,
): Promise<readonly string[] | undefined> {
  const languages = (model.profile.similarity ?? (await readScale(settings, model)))?.languages
  return languages?.length === 0 ? undefined : languages
}

/** @returns `undefined` if nobody knows: the sample does not have the language, or the model was not measured */
export function knowsLanguage(known: readonly string[] | undefined, language: string): boolean | undefined {
  const inSample: readonly string[] = SAMPLE_LANGUAGES
  return known === undefined || !inSample.includes(language) ? undefined : known.includes(language)
}
