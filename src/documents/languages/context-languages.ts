import { ASSISTANT, findReadable } from '../../contexts/index.js'
import { parseId } from '../../kernel/validate.js'
import type { ContextRecord, LanguageCount, Repositories, Storage } from '../../ports/index.js'
import { type Authorizer, type Principal, parsePrincipal } from '../../tenancy/index.js'
import type { EmbeddingModels } from '../embedding-models.js'
import { multilingualAdvice, nameOfLanguage } from './advice.js'
import { knowsLanguage, type MeasuredModel, readMeasured } from './known-languages.js'

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
  /** Null, or the {@link commands} for a model that knows them, with what they cost. */
  readonly advice: string | null
  /** The commands that give the context a model that knows them, in their order. Empty without a notice. */
  readonly commands: readonly string[]
  /** Size of that model in megabytes; null without a notice. */
  readonly downloadMb: number | null
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
    const counted = await this.storage.read(async (repositories) => {
      return await countLanguages(repositories, this.models, await findReadable(repositories, access, id))
    })
    return await toContextLanguages(counted)
  }
}

/** Reads the languages of the documents of a context, for callers that may see it. */
export async function readLanguages(
  storage: Storage,
  models: EmbeddingModels,
  context: ContextRecord,
): Promise<ContextLanguages> {
  return await toContextLanguages(
    await storage.read(async (repositories) => await countLanguages(repositories, models, context)),
  )
}

interface CountedLanguages {
  readonly context: ContextRecord
  readonly counts: readonly LanguageCount[]
  readonly measured: MeasuredModel | undefined
}

async function countLanguages(
  repositories: Repositories,
  models: EmbeddingModels,
  context: ContextRecord,
): Promise<CountedLanguages> {
  const { documents, settings } = repositories
  const { id, embeddingModel } = context
  const measured = models.ids.includes(embeddingModel)
    ? await readMeasured(settings, models.get(embeddingModel))
    : undefined
  return { context, counts: await documents.countLanguages(id), measured }
}

/** Outside of a read of the storage: it may load the vocabulary of the model. */
async function toContextLanguages({ context, counts, measured }: CountedLanguages): Promise<ContextLanguages> {
  const { id: contextId, embeddingModel } = context
  const languages: DocumentLanguage[] = []
  for (const { language, documents } of counts) {
    if (language === null) continue
    const isKnown = (await knowsLanguage(measured, language)) ?? null
    languages.push({ language, name: nameOfLanguage(language), documents, isKnown })
  }
  languages.sort((one, other) => other.documents - one.documents || (one.language < other.language ? -1 : 1))
  const windows = sumOf(counts, 'windows')
  const embedMs = Math.round(sumOf(counts, 'embedMs'))
  const unknown = languages.filter(({ isKnown }) => isKnown === false)
  const remedy = unknown.length > 0 ? multilingualAdvice({ contextId, windows, embedMs }) : NO_ADVICE
  const notice = unknown.length > 0 ? noticeOf(unknown) : null
  return { embeddingModel, windows, embedMs, languages, notice, ...remedy }
}

const NO_ADVICE = { advice: null, commands: [], downloadMb: null } as const

function noticeOf(unknown: readonly DocumentLanguage[]): string {
  const each = unknown.map(
    ({ name, documents }) => `${name} (${documents} ${documents === 1 ? 'document' : 'documents'})`,
  )
  return `${each.join(', ')}: found by words alone`
}

function sumOf(counts: readonly LanguageCount[], member: 'windows' | 'embedMs'): number {
  return counts.reduce((sum, count) => sum + count[member], 0)
}
