import { z } from 'zod'
import {
  type Context,
  type ContextSearchResult,
  type Document,
  type DocumentChunk,
  type DocumentReplacement,
  type DocumentWithReceipt,
  documentMetadataSchema,
  type IncludedMember,
  type Permission,
  type PermissionOptions,
  type PublicKey,
  type ResultSource,
  type SearchResult,
  type TokenResponse,
  type UserWithPermissions,
} from '../../src/index.js'
import type { Answer } from './route.js'

/**
 * The schemas of answers. Specification: Resources and their fields. The description uses them, and tests that check
 * answers.
 */

export const id: z.ZodType<number> = z.int().min(1)
export const timestamp: z.ZodType<string> = z.iso.datetime()

export const contextSchema: z.ZodType<Context> = z
  .object({
    id,
    name: z.string(),
    description: z.string().meta({ description: 'System instructions that define its behavior' }),
    caption: z.string(),
    userId: id,
    embeddingModel: z.string(),
    maxSize: z.int().meta({ description: 'The most bytes of all documents together' }),
    topN: z.int(),
    scoreThreshold: z.number(),
    chunkSize: z.int().meta({ description: 'The most tokens of a chunk' }),
    overlap: z.number(),
    toolsJson: z.string().meta({ description: 'Text of a JSON array of tool definitions' }),
    starterPrompts: z.array(z.string()),
    shareState: z.literal([0, 1]),
    deleted: z.null(),
    created: timestamp,
  })
  .meta({ id: 'Context' })

const replacement: z.ZodType<DocumentReplacement> = z
  .object({
    uuid: z.uuid().meta({ description: "It becomes the document's `uuid` once the replacement is completed" }),
    originalName: z.string(),
    contentHash: z.string().regex(/^[0-9a-f]{64}$/),
    size: z.int(),
    created: timestamp,
    started: timestamp.nullable(),
    error: z.string().nullable().meta({ description: 'Null, or one sentence that ends with the error code' }),
  })
  .meta({ id: 'DocumentReplacement' })

const document = z.object({
  id,
  contextId: id,
  uuid: z.uuid(),
  fileName: z.uuid().meta({ description: 'The same as `uuid`' }),
  originalName: z.string(),
  displayName: z.string(),
  nameIndex: z.int().min(0),
  contentType: z.string(),
  contentHash: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int(),
  chunks: z.int(),
  created: timestamp,
  createdBy: id,
  started: timestamp.nullable(),
  completed: timestamp.nullable(),
  error: z.string().nullable().meta({ description: 'Null, or one sentence that ends with the error code' }),
  metadata: documentMetadataSchema,
  replacement: replacement
    .nullable()
    .meta({ description: 'A new version that waits, is being processed or has failed; null if there is none' }),
})
export const documentSchema: z.ZodType<Document> = document.meta({ id: 'Document' })

const milliseconds = z.number().min(0)
const receipt: z.ZodType<NonNullable<DocumentWithReceipt['receipt']>> = z
  .object({
    bytes: z.int().meta({ description: 'Bytes of the file' }),
    characters: z.int().meta({ description: 'UTF-16 units of extracted text' }),
    pages: z.int().nullable().meta({ description: 'Null if the format has no pages' }),
    tokens: z.int().meta({ description: "Tokens of the text, by the embedding model's tokenizer" }),
    chunks: z.int(),
    windows: z.int().meta({ description: 'Parts of chunks that were embedded; together they contain every token' }),
    windowsReused: z.int().meta({ description: 'Windows whose vectors the context already had' }),
    embeddingModel: z.string(),
    durationsMs: z
      .object({
        extract: milliseconds,
        words: milliseconds.optional().meta({ description: 'Missing in receipts of versions without a word index' }),
        embed: milliseconds,
        index: milliseconds,
        total: milliseconds,
      })
      .meta({ description: 'Milliseconds of each stage; stages overlap' }),
    warnings: z.array(z.string()).meta({ description: 'Parts of the file that could not be read, one sentence each' }),
  })
  .meta({ id: 'IngestionReceipt' })
export const documentWithReceiptSchema: z.ZodType<DocumentWithReceipt> = document
  .extend({ receipt: receipt.nullable() })
  .meta({ id: 'DocumentWithReceipt' })

export const offset: z.ZodType<number> = z.int().min(0)
export const fraction: z.ZodNumber = z.number().min(0).max(1)

const pages = z
  .object({ first: z.int().min(1), last: z.int().min(1) })
  .nullable()
  .meta({ description: 'The pages, sheets or slides that the chunk touches; null if the format has none' })
const headings = z
  .array(z.string())
  .meta({ description: 'The headings above the beginning of the chunk, the outermost first' })
const metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
  .meta({ description: 'The metadata of the document' })

export const resultSource: z.ZodType<ResultSource> = z
  .object({
    uuid: z.uuid().meta({ description: "The document's `fileName`" }),
    originalName: z.string(),
    displayName: z.string(),
    start: offset.meta({ description: "Offset of the chunk in the document's text, in UTF-16 units" }),
    end: offset,
    pages,
    headings,
    metadata,
    foundBy: z.array(z.enum(['words', 'meaning'])).meta({ description: 'The indexes that found the chunk' }),
  })
  .meta({ id: 'SearchResultSource' })

export const documentChunkSchema: z.ZodType<DocumentChunk> = z
  .object({
    id,
    docId: id,
    ordinal: z.int().min(0).meta({ description: '0 for the first chunk' }),
    content: z.string(),
    start: offset.meta({ description: "Offset of the chunk in the document's text, in UTF-16 units" }),
    end: offset,
    tokens: z.int().min(0),
    pages,
    headings,
  })
  .meta({ id: 'DocumentChunk' })

/** A search result with the fields of docs/explanation/specification.md, and the members that the client asked for. */
type SearchAnswer = Pick<SearchResult, 'id' | 'docId' | 'content' | 'similarity'> &
  Partial<Pick<SearchResult, IncludedMember>>

const searchResult = z.object({
  id,
  docId: id,
  content: z.string(),
  similarity: fraction.meta({ description: 'Cosine similarity of prompt and chunk, in every search mode' }),
  score: fraction.exactOptional().meta({ description: 'Orders the results of one search. Only if `include` lists it' }),
  source: resultSource.exactOptional(),
  match: z.object({ start: offset, end: offset }).exactOptional().meta({
    description: 'The part of `content` that matched best, in UTF-16 units. Only if `include` lists it',
  }),
})
export const searchResultSchema: z.ZodType<SearchAnswer> = searchResult.meta({ id: 'SearchResult' })

/** A result of a search of several contexts. */
type ContextSearchAnswer = SearchAnswer & Pick<ContextSearchResult, 'contextId'>

export const contextSearchResultSchema: z.ZodType<ContextSearchAnswer> = searchResult
  .extend({ contextId: id })
  .meta({ id: 'ContextSearchResult' })

const named = z.object({ id, name: z.string() })

const listedPermission = z
  .object({
    id,
    disabled: z.boolean(),
    createdAt: timestamp,
    lastAccess: timestamp.nullable(),
    instanceActive: z.boolean(),
    role: named,
    account: named.extend({ customerId: id }),
    application: named.extend({ key: z.string() }),
    region: named,
  })
  .meta({ id: 'ListedPermission' })

export const userSchema: z.ZodType<UserWithPermissions> = z
  .object({
    id,
    firstName: z.string(),
    lastName: z.string(),
    name: z.string(),
    email: z.string(),
    createdAt: timestamp,
    hasPassword: z.boolean(),
    otpMethod: z.string(),
    lastAccess: timestamp.nullable(),
    permissions: z.array(listedPermission),
  })
  .meta({ id: 'User' })

export const permissionSchema: z.ZodType<Permission> = z
  .object({
    id,
    appAccountId: id,
    userIdentityId: id,
    appRoleId: id,
    lastAccess: timestamp.nullable(),
    disabled: z.boolean(),
    createdAt: timestamp,
    createdBy: z.string().meta({ description: "Text of a JSON object with the creator's id and email address" }),
  })
  .meta({ id: 'Permission' })

const option = z.object({ value: id, title: z.string(), selected: z.boolean() }).meta({ id: 'OptionItem' })

export const permissionOptionsSchema: z.ZodType<PermissionOptions> = z
  .object({
    applications: z.array(option),
    regions: z.array(option),
    accounts: z.array(option),
    roles: z.array(option),
    users: z.array(option),
  })
  .meta({ id: 'PermissionOptions' })

export const tokenSchema: z.ZodType<TokenResponse> = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.literal(900),
    scope: z.string().exactOptional(),
  })
  .meta({ id: 'Token' })

const publicKey: z.ZodType<PublicKey> = z
  .object({
    kty: z.string(),
    crv: z.string(),
    x: z.string(),
    y: z.string().exactOptional(),
    kid: z.string(),
    alg: z.string(),
    use: z.literal('sig'),
  })
  .meta({ id: 'PublicKey' })

export const keySetSchema: z.ZodType = z.object({ keys: z.array(publicKey) }).meta({ id: 'KeySet' })

export const introspectionSchema: z.ZodType = z
  .union([
    z.object({ active: z.literal(false) }),
    z.object({
      active: z.literal(true),
      client_id: z.string(),
      sub: z.string(),
      aud: z.string(),
      iss: z.string(),
      exp: z.int(),
      iat: z.int(),
      jti: z.string(),
      token_type: z.literal('Bearer'),
      scope: z.string(),
      target_app: z.string(),
      account_id: id,
      company_id: id,
    }),
  ])
  .meta({ id: 'Introspection' })

export const serverMetadataSchema: z.ZodType = z
  .object({
    issuer: z.string(),
    token_endpoint: z.string(),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    jwks_uri: z.string(),
    revocation_endpoint: z.string(),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    introspection_endpoint: z.string(),
    introspection_endpoint_auth_methods_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    service_documentation: z.string(),
  })
  .meta({ id: 'ServerMetadata' })

export const healthSchema: z.ZodType = z
  .object({ status: z.enum(['ok', 'unavailable']), ports: z.record(z.string(), z.string()) })
  .meta({ id: 'Health' })

export const emptySchema: z.ZodType = z.object({}).meta({ id: 'Empty' })

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().meta({ description: 'Stable: programs may depend on it' }),
})

export const problemSchema: z.ZodType = problem.meta({ id: 'Problem' })

export const tokenProblemSchema: z.ZodType = problem
  .extend({ error: z.string(), error_description: z.string() })
  .meta({ id: 'TokenProblem' })

/** The answer 429 with `Retry-After`. */
export function throttledAnswer(description: string): Answer {
  return { description, schema: problemSchema, contentType: 'application/problem+json', hasRetryAfter: true }
}

/** The answer 409 of an operation that would exceed a limit of a company. */
export function limitAnswer(description: string): Answer {
  return { description, schema: problemSchema, contentType: 'application/problem+json' }
}

/** Results of one search: an array, or a stream. */
type Results<Result> = readonly Result[] | AsyncIterable<Result>

/** Converts search results to answers. An array stays an array, a stream a stream. */
export function searchAnswers(
  found: Results<SearchResult>,
  include: readonly IncludedMember[] = [],
): Results<SearchAnswer> {
  return mapResults(found, (result) => toAnswer(result, include))
}

/** As {@link searchAnswers}, for a search of several contexts. */
export function contextSearchAnswers(
  found: Results<ContextSearchResult>,
  include: readonly IncludedMember[] = [],
): Results<ContextSearchAnswer> {
  return mapResults(found, (result) => ({ contextId: result.contextId, ...toAnswer(result, include) }))
}

function mapResults<Result, Answered>(
  found: Results<Result>,
  toAnswered: (result: Result) => Answered,
): Results<Answered> {
  return 'length' in found ? found.map(toAnswered) : streamResults(found, toAnswered)
}

async function* streamResults<Result, Answered>(
  found: AsyncIterable<Result>,
  toAnswered: (result: Result) => Answered,
): AsyncGenerator<Answered> {
  for await (const result of found) yield toAnswered(result)
}

function toAnswer(result: SearchResult, include: readonly IncludedMember[]): SearchAnswer {
  const { id, docId, content, similarity, score, source, match } = result
  return {
    id,
    docId,
    content,
    similarity,
    ...(include.includes('score') && { score }),
    ...(include.includes('source') && { source }),
    ...(include.includes('match') && { match }),
  }
}
