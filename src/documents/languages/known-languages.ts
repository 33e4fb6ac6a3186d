import type { EmbeddingModel, SettingRepository, SimilarityScale } from '../../ports/index.js'
import { LANGUAGE_SENTENCES } from './language-sentences.js'
import { measureModelKnowledge } from './model-knowledge.js'

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

/** A model that knows so many languages of the sample knows more than those, and its vocabulary cuts words of all. */
const MANY_LANGUAGES = 6

export function knowsManyLanguages({ languages }: Pick<SimilarityScale, 'languages'>): boolean {
  return languages.length >= MANY_LANGUAGES
}

/** A model with the languages of the sample that it knows, one or more. */
export interface MeasuredModel {
  readonly model: Pick<EmbeddingModel, 'profile' | 'tokenizer'>
  readonly languages: readonly string[]
}

/** @returns `undefined` for a model that knows none of the sample, or was not measured yet */
export async function readMeasured(
  settings: Pick<SettingRepository, 'get'>,
  model: MeasuredModel['model'],
): Promise<MeasuredModel | undefined> {
  const { languages = [] } = model.profile.similarity ?? (await readScale(settings, model)) ?? {}
  return languages.length === 0 ? undefined : { model, languages }
}

/** As of {@link measureModelKnowledge}. A vocabulary has more of a language that its model was trained on. */
const LEAST_KNOWLEDGE = 0.75

/**
 * Decides by the sample, for its languages. For another language, the vocabulary of a model of few languages shows if it
 * was trained on it.
 *
 * @returns `undefined` if nobody knows
 */
export async function knowsLanguage(
  measured: MeasuredModel | undefined,
  language: string,
): Promise<boolean | undefined> {
  const inSample: readonly string[] = SAMPLE_LANGUAGES
  if (measured === undefined || inSample.includes(language)) return measured?.languages.includes(language)
  const sentence = LANGUAGE_SENTENCES[language]
  if (sentence === undefined || knowsManyLanguages(measured)) return undefined
  // A model whose files are missing refuses no reader of a document.
  const tokenizer = await measured.model.tokenizer().catch(() => undefined)
  const isCut = tokenizer !== undefined && measureModelKnowledge(sentence, tokenizer) < LEAST_KNOWLEDGE
  return isCut ? false : undefined
}
