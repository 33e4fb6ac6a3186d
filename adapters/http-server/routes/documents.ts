import { z } from 'zod'
import { listQuerySchema } from '../../../src/index.js'
import { idSchema, objectSchema } from '../../../src/ports/index.js'
import { json } from '../answers.js'
import { MIN_UPLOAD_BYTES_PER_SECOND } from '../paced-body.js'
import { MAX_FRAMING_BYTES, readUpload } from '../read-upload.js'
import { type Route, route } from '../route.js'
import { documentSchema, documentWithReceiptSchema, emptySchema, limitAnswer, throttledAnswer } from '../schemas.js'
import { streamList } from '../stream-list.js'

const CONTEXT = objectSchema({ contextId: idSchema() })
const DOCUMENT = objectSchema({ contextId: idSchema(), docId: idSchema() })
const COMMON = { api: 'assistant', access: 'assistant' } as const

/** Specification: Assistant API. */
export const DOCUMENT_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    method: 'POST',
    path: '/context/upload/{contextId}',
    operationId: 'uploadDocument',
    summary: 'Upload a document',
    params: CONTEXT,
    rawBody: {
      'multipart/form-data': {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
    },
    answers: {
      200: { description: 'The UUID of the document', schema: z.uuid() },
      409: limitAnswer('The context has reached its limit of documents'),
      429: throttledAnswer('The company runs too many uploads at the same time'),
    },
    handle: async ({ params, request, options }, { documents }) => {
      const { maxUploadBytes, minUploadBytesPerSecond = MIN_UPLOAD_BYTES_PER_SECOND } = options
      const limit = maxUploadBytes === undefined ? {} : { maxFileBytes: maxUploadBytes }
      const expectedBytes = minFileBytes(request)
      await documents.checkRoom(params.contextId, expectedBytes, limit)
      const file = await readUpload(request, minUploadBytesPerSecond)
      return json(await documents.upload(params.contextId, file, { ...limit, expectedBytes, signal: request.signal }))
    },
  }),
  route({
    ...COMMON,
    method: 'GET',
    path: '/context/documents/{contextId}',
    operationId: 'listDocuments',
    summary: 'List the documents of a context',
    params: CONTEXT,
    query: listQuerySchema,
    answers: { 200: { description: 'Documents, ordered by id', schema: z.array(documentSchema), hasNextLink: true } },
    handle: async (call, { documents }) =>
      await streamList(call, await documents.page(call.params.contextId, call.query)),
  }),
  route({
    ...COMMON,
    method: 'GET',
    path: '/context/documents/{contextId}/{docId}',
    operationId: 'getDocument',
    summary: 'Get a document with its ingestion receipt',
    params: DOCUMENT,
    answers: { 200: { description: 'The document', schema: documentWithReceiptSchema } },
    handle: async ({ params }, { documents }) =>
      json(await documents.get({ contextId: params.contextId, id: params.docId })),
  }),
  route({
    ...COMMON,
    method: 'DELETE',
    path: '/context/documents/{contextId}/{docId}',
    operationId: 'deleteDocument',
    summary: 'Delete a document',
    params: DOCUMENT,
    answers: { 200: { description: 'The document is deleted', schema: emptySchema } },
    handle: async ({ params }, { documents }) => {
      await documents.delete({ contextId: params.contextId, id: params.docId })
      return json({})
    },
  }),
]

/**
 * The least size of the uploaded file. `Content-Length` also counts the framing of the form, so that is subtracted:
 * otherwise a file that fits exactly would be refused.
 */
function minFileBytes(request: Request): number {
  const length = Number(request.headers.get('content-length') ?? 0)
  return Number.isSafeInteger(length) ? Math.max(0, length - MAX_FRAMING_BYTES) : 0
}
