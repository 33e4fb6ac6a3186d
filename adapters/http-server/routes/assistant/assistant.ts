import { z } from 'zod'
import {
  contextBodySchema,
  contextChangesBodySchema,
  DOCUMENT_LIST_SHAPE,
  type DocumentFilter,
  documentChangesSchema,
  listQuerySchema,
  parseJson,
  shareSchema,
  type UploadOptions,
} from '../../../../src/index.js'
import {
  type DocumentStatus,
  idSchema,
  listQuerySchemaWith,
  objectSchema,
  textSchema,
} from '../../../../src/ports/index.js'
import { json, noContent, streamList } from '../../answers.js'
import { LARGE_BODY_BYTES } from '../../body-sizes.js'
import { MAX_FRAMING_BYTES, MIN_UPLOAD_BYTES_PER_SECOND, readUpload, type UploadedFile } from '../../read-upload.js'
import { type Call, type Route, route } from '../../route.js'
import { contextSchema } from '../../schemas/contexts.js'
import { documentSchema, documentWithReceiptSchema } from '../../schemas/documents.js'
import { emptySchema } from '../../schemas/fields.js'
import { problemAnswer, throttledAnswer } from '../../schemas/problems.js'
import { DOCUMENT, documentOf } from './document-path.js'

/** The most bytes of a body with metadata, which JSON may write with six bytes for one. */
const MAX_CHANGES_BYTES = 131_072
/** A valid filter of a list, for error messages. */
const FILTER_EXAMPLE = '{"metadata":{"year":2026}}'
const COMMON = { api: 'assistant', access: 'assistant' } as const
/** An operation of the specification. */
const SPECIFIED = { ...COMMON, isSpecified: true } as const
const TOO_MANY_BODIES = { 429: throttledAnswer('The company sends too many long bodies at the same time') }
const FILE_FIELDS = {
  type: 'object',
  required: ['file'],
  properties: {
    file: {
      type: 'string',
      format: 'binary',
      description: 'The file. The ending of its name names the format, whatever content type the part has',
    },
    metadata: {
      type: 'string',
      contentMediaType: 'application/json',
      description: 'The metadata of the document as JSON. The field may come before or after the file',
    },
  },
}
const FILE_FORM = { 'multipart/form-data': FILE_FIELDS }
const CLOSED_FILE_FORM = { 'multipart/form-data': { ...FILE_FIELDS, additionalProperties: false } }
const CONTEXT = objectSchema({ contextId: idSchema() })
const DOCUMENTS_QUERY = listQuerySchemaWith({
  filter: textSchema({ max: 100_000 })
    .optional()
    .meta({ description: 'Conditions for documents as JSON, such as {"metadata":{"year":{"gte":2025}}}' }),
  status: textSchema({ max: 1_000 })
    .optional()
    .meta({
      description:
        'Only documents in one of these states, with commas between them: `waiting`, `processing`, `completed`, `failed`. ' +
        'A document with a `replacement` also has the state of that one',
    }),
  ...DOCUMENT_LIST_SHAPE,
})

/** Contexts. Specification: Assistant API. */
export const CONTEXT_ROUTES: readonly Route[] = [
  route({
    ...SPECIFIED,
    method: 'POST',
    path: '/context',
    operationId: 'createContext',
    summary: 'Create a context',
    body: contextBodySchema,
    maxBodyBytes: LARGE_BODY_BYTES,
    answers: {
      201: { description: 'The context', schema: contextSchema },
      409: problemAnswer('The company has reached its limit of contexts'),
      ...TOO_MANY_BODIES,
    },
    handle: async ({ body }, { contexts }) => json(await contexts.create(body), 201),
  }),
  route({
    ...SPECIFIED,
    method: 'GET',
    path: '/context',
    operationId: 'listContexts',
    summary: "List the account's contexts",
    query: listQuerySchema,
    answers: { 200: { description: 'Contexts, ordered by id', schema: z.array(contextSchema), hasNextLink: true } },
    handle: async (call, { contexts }) => await streamList(call, await contexts.page(call.query)),
  }),
  route({
    ...SPECIFIED,
    method: 'GET',
    path: '/context/{contextId}',
    operationId: 'getContext',
    summary: 'Get a context',
    params: CONTEXT,
    answers: { 200: { description: 'The context', schema: contextSchema } },
    handle: async ({ params }, { contexts }) => json(await contexts.get(params.contextId)),
  }),
  route({
    ...SPECIFIED,
    method: 'PUT',
    path: '/context/{contextId}',
    operationId: 'updateContext',
    summary: 'Update a context',
    params: CONTEXT,
    body: contextChangesBodySchema,
    maxBodyBytes: LARGE_BODY_BYTES,
    answers: { 200: { description: 'The updated context', schema: contextSchema }, ...TOO_MANY_BODIES },
    handle: async ({ params, body }, { contexts }) => json(await contexts.update(params.contextId, body)),
  }),
  route({
    ...SPECIFIED,
    method: 'DELETE',
    path: '/context/{contextId}',
    operationId: 'deleteContext',
    summary: 'Delete a context with its documents',
    params: CONTEXT,
    answers: { 200: { description: 'The context is deleted', schema: emptySchema } },
    handle: async ({ params }, { contexts }) => {
      await contexts.delete(params.contextId)
      return json({})
    },
  }),
  route({
    ...SPECIFIED,
    method: 'PUT',
    path: '/context/share/{contextId}',
    operationId: 'shareContext',
    summary: 'Share a context or make it private',
    params: CONTEXT,
    body: shareSchema,
    answers: { 204: { description: 'The share state is set' } },
    handle: async ({ params, body }, { contexts }) => {
      await contexts.share(params.contextId, body)
      return noContent()
    },
  }),
]

/** Documents of contexts. Specification: Assistant API. */
export const DOCUMENT_ROUTES: readonly Route[] = [
  route({
    ...SPECIFIED,
    method: 'POST',
    path: '/context/upload/{contextId}',
    operationId: 'uploadDocument',
    summary: 'Upload a document',
    params: CONTEXT,
    rawBody: FILE_FORM,
    answers: {
      200: { description: 'The UUID of the document', schema: z.uuid() },
      409: problemAnswer('The context has reached its limit of documents'),
      429: throttledAnswer('The company runs too many uploads at the same time'),
    },
    handle: async (call, { documents }) => {
      const { contextId } = call.params
      const checkRoom: RoomCheck = async (bytes, limit) => await documents.checkRoom(contextId, bytes, limit)
      const { file, options } = await readFile(call, checkRoom, { isClosed: false })
      return json(await documents.upload(contextId, file, options))
    },
  }),
  route({
    ...COMMON,
    method: 'PUT',
    path: '/context/upload/{contextId}/{docId}',
    operationId: 'replaceDocument',
    summary: 'Replace a document by a new version',
    description:
      'The document keeps its id, and takes the name of the file. Searches, lists and `getDocument` show the old version ' +
      'until the new one is processed, then the new one alone. Until then, `replacement` of the document shows the ' +
      'progress, or the reason of a failure. The same bytes under the same name change nothing.',
    params: DOCUMENT,
    rawBody: CLOSED_FILE_FORM,
    answers: {
      200: { description: 'The UUID of the new version; that of the existing one for the same file', schema: z.uuid() },
      429: throttledAnswer('The company runs too many uploads at the same time'),
    },
    handle: async (call, { documents }) => {
      const document = documentOf(call.params)
      const checkRoom: RoomCheck = async (bytes, limit) => {
        await documents.checkReplacement(document, bytes, limit)
      }
      const { file, options } = await readFile(call, checkRoom, { isClosed: true })
      return json(await documents.replace(document, file, options))
    },
  }),
  route({
    ...SPECIFIED,
    method: 'GET',
    path: '/context/documents/{contextId}',
    operationId: 'listDocuments',
    summary: 'List the documents of a context',
    params: CONTEXT,
    query: DOCUMENTS_QUERY,
    answers: { 200: { description: 'Documents in their order', schema: z.array(documentSchema), hasNextLink: true } },
    handle: async (call, { documents }) => {
      const { filter, status, ...part } = call.query
      const query = {
        ...part,
        ...(filter !== undefined && { filter: parseJson(filter, 'filter', FILTER_EXAMPLE) as DocumentFilter }),
        // The engine checks the values.
        ...(status !== undefined && { status: status.split(',') as DocumentStatus[] }),
      }
      return await streamList(call, await documents.page(call.params.contextId, query))
    },
  }),
  route({
    ...COMMON,
    method: 'GET',
    path: '/context/documents/{contextId}/{docId}',
    operationId: 'getDocument',
    summary: 'Get a document with its ingestion receipt',
    params: DOCUMENT,
    answers: { 200: { description: 'The document', schema: documentWithReceiptSchema } },
    handle: async ({ params }, { documents }) => json(await documents.get(documentOf(params))),
  }),
  route({
    ...COMMON,
    method: 'PATCH',
    path: '/context/documents/{contextId}/{docId}',
    operationId: 'updateDocument',
    summary: 'Change the name and the metadata of a document',
    description:
      '`metadata` is merged into the metadata of the document: null removes a key, and the other keys stay (RFC 7396). ' +
      'Null instead of the object removes all keys. `displayName` null restores the name that is made from the file name.',
    params: DOCUMENT,
    body: documentChangesSchema,
    maxBodyBytes: MAX_CHANGES_BYTES,
    answers: { 200: { description: 'The changed document', schema: documentSchema } },
    handle: async ({ params, body }, { documents }) => json(await documents.update(documentOf(params), body)),
  }),
  route({
    ...SPECIFIED,
    method: 'DELETE',
    path: '/context/documents/{contextId}/{docId}',
    operationId: 'deleteDocument',
    summary: 'Delete a document',
    params: DOCUMENT,
    answers: { 200: { description: 'The document is deleted', schema: emptySchema } },
    handle: async ({ params }, { documents }) => {
      await documents.delete(documentOf(params))
      return json({})
    },
  }),
]

/** Refuses a file of this size, or larger, before its bytes are read. */
type RoomCheck = (bytes: number, limit: { readonly maxFileBytes?: number }) => Promise<void>

/** Begins to read the file of an upload. @param form `isClosed` refuses fields that the form does not have */
async function readFile(
  { request, options: { maxUploadBytes, minUploadBytesPerSecond = MIN_UPLOAD_BYTES_PER_SECOND } }: UploadCall,
  checkRoom: RoomCheck,
  form: { readonly isClosed: boolean },
): Promise<{ readonly file: UploadedFile; readonly options: UploadOptions }> {
  const limit = maxUploadBytes === undefined ? {} : { maxFileBytes: maxUploadBytes }
  const expectedBytes = minFileBytes(request)
  await checkRoom(expectedBytes, limit)
  const file = await readUpload(request, { ...form, minBytesPerSecond: minUploadBytesPerSecond })
  return { file, options: { ...limit, expectedBytes, signal: request.signal } }
}

type UploadCall = Pick<Call<unknown, unknown, unknown>, 'request' | 'options'>

/**
 * The least size of the uploaded file. `Content-Length` also counts the framing of the form, so that is subtracted:
 * otherwise a file that fits exactly would be refused.
 */
function minFileBytes(request: Request): number {
  const length = Number(request.headers.get('content-length') ?? 0)
  return Number.isSafeInteger(length) ? Math.max(0, length - MAX_FRAMING_BYTES) : 0
}
