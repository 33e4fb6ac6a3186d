import { errorReason, ForbiddenError, NotFoundError } from '../kernel/errors.js'
import type { ContextRecord, Repositories } from '../ports/index.js'
import type { Access } from '../tenancy/index.js'

/** Specification: Context. */
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
  /** Fraction of a chunk that the next chunk repeats. */
  readonly overlap: number
  /** The JSON of an array of tools, as it was given; `[]` for none. `toolsOf` reads it. */
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

/** The key of the application whose accounts have contexts. */
export const ASSISTANT = 'assistant'

function canRead({ principal }: Access, context: ContextRecord): boolean {
  if (context.accountId !== principal.accountId) return false
  return principal.sight === 'account' || context.userId === principal.userId || context.shareState === 1
}

/**
 * Finds a context that the principal can read.
 * @throws NotFoundError for a missing context, one of another account, and a private one of another user
 */
export async function findReadable(
  { contexts }: Repositories,
  access: Access,
  contextId: number,
): Promise<ContextRecord> {
  const context = await contexts.get(contextId)
  if (context === undefined || !canRead(access, context)) throw new NotFoundError('context', contextId)
  return context
}

/**
 * Finds a context that the principal can change: its own, or with `tenant:manage` any that it can read. A principal with
 * sight of the whole account can change all contexts.
 *
 * @throws NotFoundError as {@link findReadable}
 * @throws ForbiddenError for a context that another user shares
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
  throw new ForbiddenError(
    `the context ${contextId} belongs to another user: only that user, or a role with tenant:manage, can change it`,
    errorReason('context-of-other-user', { context: contextId }),
  )
}
