import { ASSISTANT, findReadable } from '../../contexts/index.js'
import { parseId } from '../../kernel/validate.js'
import type { ContextRecord, LanguageCount, Repositories, Storage } from '../../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../../tenancy/index.js'
import type { EmbeddingModels } from '../embedding-models.js'
import { multilingualAdvice, nameOfLanguage } from './advice.js'
import { knownLanguages, knowsLanguage } from './known-languages.js'

/** A language of documents. */
export interface DocumentLanguage {
  /** ISO 639-1 code, such as `fi`. */
  readonly language: string
  /** English name, such as `Finnish`. */
  readonly name: string
  /** Number of completed documents. */
  readonly documents: number
  /** True if the context's model knows the language. False: words alone find the documents. Null: not measured. */
  readonly isKnown: boolean | null
}

/** The languages of the completed documents of a context. */
export interface ContextLanguages {
  readonly embeddingModel: string
  /** Windows of all completed documents: another model would embed so many. */
  readonly windows: number
  /** Time that the model took for their vectors, in milliseconds. */
  readonly embedMs: number
  /** The most documents first. Documents whose language is not sure do not count. */
  readonly languages: readonly DocumentLanguage[]
  /** Null, or a sentence about the languages that the model does not know, such as "Finnish (12 documents): found by words alone". */
  readonly notice: string | null
  /** Null, or the commands for a model that knows them, with what they cost. */
  readonly advice: string | null
}

/** Compares the languages of documents with those that the models of their contexts know. */
export class ReadContextLanguages {
  constructor(
    private readonly storage: Storage,
    private readonly models: EmbeddingModels,
    private readonly authorizer: Authorizer,
  ) {}

  /** @throws NotFoundError `ERR_CONTEXT_NOT_FOUND` */
  async execute(principal: Principal, contextId: number): Promise<ContextLanguages> {
    const access = await this.authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:read')
    const id = parseId(contextId, 'contextId')
    return await this.storage.read(async (repositories) => {
      return await readLanguages(repositories, this.models, await findReadable(repositories, access, id))
    })
  }
}

/** Reads the languages of the documents of a context, for callers that may see it. */
export async function readLanguages(
  { documents, settings }: Repositories,
  models: EmbeddingModels,
  { id: contextId, embeddingModel }: ContextRecord,
): Promise<ContextLanguages> {
  const counts = await documents.countLanguages(contextId)
  const known = models.ids.includes(embeddingModel)
    ? await knownLanguages(settings, models.get(embeddingModel))
    : undefined
  const languages = counts
    .flatMap(({ language, documents: count }): DocumentLanguage[] => {
      if (language === null) return []
      const isKnown = knowsLanguage(known, language) ?? null
      return [{ language, name: nameOfLanguage(language), documents: count, isKnown }]
    })
    .sort((one, other) => other.documents - one.documents || (one.language < other.language ? -1 : 1))
  const windows = sumOf(counts, 'windows')
  const embedMs = Math.round(sumOf(counts, 'embedMs'))
  const unknown = languages.filter(({ isKnown }) => isKnown === false)
  const isNoted = unknown.length > 0
  return {
    embeddingModel,
    windows,
    embedMs,
    languages,
    notice: isNoted ? noticeOf(unknown) : null,
    advice: isNoted ? multilingualAdvice({ contextId, windows, embedMs }) : null,
  }
}

function noticeOf(unknown: readonly DocumentLanguage[]): string {
  const each = unknown.map(
    ({ name, documents }) => `${name} (${documents} ${documents === 1 ? 'document' : 'documents'})`,
  )
  return `${each.join(', ')}: found by words alone`
}

function sumOf(counts: readonly LanguageCount[], member: 'windows' | 'embedMs'): number {
  return counts.reduce((sum, count) => sum + count[member], 0)
}
