import contentDisposition from 'content-disposition'
import { z } from 'zod'
import { chunkQuerySchema, textRangeSchema } from '../../../../src/index.js'
import { streamList } from '../../answers.js'
import { encoded, streamBytes } from '../../byte-answers.js'
import { type Route, route } from '../../route.js'
import { documentChunkSchema } from '../../schemas/documents.js'
import { problemAnswer } from '../../schemas/problems.js'
import { DOCUMENT, documentOf } from './document-path.js'

const COMMON = { api: 'assistant', access: 'assistant', method: 'GET' } as const

/** The bytes, the text and the chunks of documents. */
export const DOCUMENT_CONTENT_ROUTES: readonly Route[] = [
  route({
    ...COMMON,
    path: '/context/documents/{contextId}/{docId}/content',
    operationId: 'getDocumentContent',
    summary: 'Download a document as it was received',
    description:
      'The bytes of the upload, as an attachment with the name of the document. The content type is always ' +
      '`application/octet-stream`, so that no browser shows the file; `contentType` of the document names its format.',
    params: DOCUMENT,
    answers: {
      200: {
        description: 'The bytes',
        contentType: 'application/octet-stream',
        headers: {
          'Content-Disposition': { description: 'Name of the file (RFC 6266)', schema: { type: 'string' } },
          'Content-Length': { description: 'Number of bytes', schema: { type: 'integer' } },
        },
      },
    },
    handle: async (call, { documents }) => {
      // By UUID: another version may take the place of this one between the two calls.
      const { displayName, size, uuid } = await documents.get(documentOf(call.params))
      return await streamBytes(call, await documents.open(uuid), {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'content-disposition': contentDisposition(displayName),
      })
    },
  }),
  route({
    ...COMMON,
    path: '/context/documents/{contextId}/{docId}/text',
    operationId: 'getDocumentText',
    summary: 'Get the text of a document, or a part of it',
    description:
      'The text that was extracted, from `start` to before `end`: offsets in UTF-16 units, as those of `source` of a ' +
      'hit. Default: the whole text. The header `Text-Length` has the length of the whole text. 409 `ERR_NOT_READY` ' +
      'while the document is being processed, 409 `ERR_DOCUMENT_FAILED` if it has failed, and 400 if the part is not ' +
      'within the text.',
    params: DOCUMENT,
    query: textRangeSchema,
    answers: {
      200: {
        description: 'The text in UTF-8',
        contentType: 'text/plain',
        headers: {
          'Text-Length': { description: 'UTF-16 units of the whole text', schema: { type: 'integer', minimum: 0 } },
        },
      },
      409: problemAnswer('The document is being processed (`ERR_NOT_READY`), or has failed (`ERR_DOCUMENT_FAILED`)'),
    },
    handle: async (call, { documents }) => {
      const { length, pieces } = await documents.openText(documentOf(call.params), call.query)
      return await streamBytes(call, encoded(pieces), {
        'content-type': 'text/plain; charset=utf-8',
        'text-length': String(length),
      })
    },
  }),
  route({
    ...COMMON,
    path: '/context/documents/{contextId}/{docId}/chunks',
    operationId: 'listDocumentChunks',
    summary: 'List the chunks of a document',
    description:
      'Chunks in their order, none before the document is completed. `limit` is 20 by default. `after` is the ordinal of ' +
      'the last chunk of the previous page.',
    params: DOCUMENT,
    query: chunkQuerySchema,
    answers: {
      200: { description: 'Chunks, ordered by ordinal', schema: z.array(documentChunkSchema), hasNextLink: true },
    },
    handle: async (call, { documents }) =>
      await streamList(call, await documents.chunkPage(documentOf(call.params), call.query)),
  }),
]
