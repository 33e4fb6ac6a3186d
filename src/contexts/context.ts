import { ForbiddenError, NotFoundError } from '../kernel/errors.js'
import type { ContextRecord, Repositories } from '../ports/index.js'
import type { Access } from '../tenancy/index.js'
import type { ContextSettings } from './context-input.js'

/** A context as the specification shows it (Resources and their fields, Context). */
export interface Context {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly caption: string
  readonly userId: number
  readonly embeddingModel: string
  /** Bytes. */
  readonly maxSize: number
  readonly topN: number
  readonly scoreThreshold: number
  /** Tokens per chunk. */
  readonly chunkSize: number
  /** Fraction of a chunk that the next one repeats. */
  readonly overlap: number
  readonly toolsJson: string
  readonly starterPrompts: readonly string[]
  /** 0 private, 1 shared. */
  readonly shareState: 0 | 1
  readonly deleted: null
  /** ISO 8601. */
  readonly created: string
}

export function toContext(record: ContextRecord): Context {
  return {
    id: record.id,
    name: record.name,
    description: record.description,
    caption: record.caption,
    userId: record.userId,
    embeddingModel: record.embeddingModel,
    maxSize: record.maxSizeBytes,
    topN: record.topN,
    scoreThreshold: record.scoreThreshold,
    chunkSize: record.chunkSizeTokens,
    overlap: record.overlap,
    toolsJson: record.toolsJson,
    starterPrompts: record.starterPrompts,
    shareState: record.shareState,
    deleted: null,
    created: record.created,
  }
}

/** All settings of a context, as it was created with or changed to. */
export function toSettings(record: ContextRecord): Required<ContextSettings> {
  return {
    embeddingModel: record.embeddingModel,
    maxSizeBytes: record.maxSizeBytes,
    topN: record.topN,
    scoreThreshold: record.scoreThreshold,
    chunkSizeTokens: record.chunkSizeTokens,
    overlap: record.overlap,
    searchMode: record.searchMode,
    findsEarly: record.findsEarly,
  }
}

/** The key of the application whose accounts hold contexts. */
export const ASSISTANT = 'assistant'

/** Whether a principal sees a context of its account. */
function sees({ principal }: Access, context: ContextRecord): boolean {
  if (context.accountId !== principal.accountId) return false
  return principal.sight === 'account' || context.userId === principal.userId || context.shareState === 1
}

/**
 * A context that the principal sees.
 * @throws NotFoundError where there is none, or it is another account's, or private to another user
 */
export async function findReadable(
  { contexts }: Repositories,
  access: Access,
  contextId: number,
): Promise<ContextRecord> {
  const context = await contexts.get(contextId)
  if (context === undefined || !sees(access, context)) throw new NotFoundError('context', contextId)
  return context
}

/**
 * A context that the principal may change: its own, or with `tenant:manage` any it sees.
 * A principal with sight of the whole account may change all of them.
 *
 * @throws NotFoundError as {@link findReadable}
 * @throws ForbiddenError where it is shared by another user
 */
export async function findWritable(
  repositories: Repositories,
  access: Access,
  contextId: number,
): Promise<ContextRecord> {
  const context = await findReadable(repositories, access, contextId)
  const { principal } = access
  if (principal.sight === 'account' || context.userId === principal.userId || access.can('tenant:manage'))
    return context
  throw new ForbiddenError(`the context ${contextId} is shared by another user, who alone may change it`)
}
