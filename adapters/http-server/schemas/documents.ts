import { z } from 'zod'
import {
  type Document,
  type DocumentChunk,
  type DocumentReplacement,
  type DocumentState,
  type DocumentWithReceipt,
  documentMetadataSchema,
} from '../../../src/index.js'
import { failureFields, headings, id, offset, pages, timestamp, waitFields } from './fields.js'
import { reasonSchema } from './problems.js'

const failure = failureFields('Null, or one sentence that ends with the error code')
const wait = waitFields('the document waits, because the server of the embedding model is away')

const replacement: z.ZodType<DocumentReplacement> = z
  .object({
    uuid: z.uuid().meta({ description: "It becomes the document's `uuid` once the replacement is completed" }),
    originalName: z.string(),
    contentHash: z.string().regex(/^[0-9a-f]{64}$/),
    size: z.int(),
    created: timestamp,
    started: timestamp.nullable(),
    ...failure,
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
  ...failure,
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
    recognised: z
      .int()
      .exactOptional()
      .meta({ description: 'Pages whose text was recognised in pictures; absent if there are none' }),
    tokens: z.int().meta({ description: "Tokens of the text, by the embedding model's tokenizer" }),
    chunks: z.int(),
    windows: z.int().meta({ description: 'Parts of chunks that were embedded; together they contain every token' }),
    windowsReused: z.int().meta({ description: 'Windows whose vectors the context already had' }),
    embeddingModel: z.string(),
    language: z
      .string()
      .nullable()
      .meta({ description: 'Language of the text, as an ISO 639-1 code; null if it is not sure' }),
    durationsMs: z
      .object({
        extract: milliseconds,
        words: milliseconds,
        embed: milliseconds,
        index: milliseconds,
        total: milliseconds,
      })
      .meta({ description: 'Milliseconds of each stage; stages overlap' }),
    warnings: z.array(z.string()).meta({
      description:
        'Parts of the file that could not be read, and a language that the model does not know: one sentence each',
    }),
    warningReasons: z
      .array(reasonSchema.nullable())
      .meta({ description: '`warnings` for programs, in the same order; null for one that has only its sentence' }),
  })
  .meta({ id: 'IngestionReceipt' })

export const documentWithReceiptSchema: z.ZodType<DocumentWithReceipt> = document
  .extend({
    receipt: receipt.nullable(),
    ...wait,
  })
  .meta({ id: 'DocumentWithReceipt' })

export const documentStateSchema: z.ZodType<DocumentState> = z
  .object({
    contextId: id,
    id,
    uuid: z.uuid().meta({ description: 'UUID of the newest version of the document' }),
    displayName: z.string(),
    isReplacement: z.boolean().meta({ description: 'True if that version is to replace another one' }),
    status: z.enum(['waiting', 'processing', 'completed', 'failed', 'deleted']),
    stage: z
      .enum(['reading', 'embedding'])
      .nullable()
      .meta({ description: 'Null unless the document is being processed' }),
    percent: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'Null as long as `windowsTotal` is null; 100 if the document is completed' }),
    windowsEmbedded: z.int().min(0).meta({ description: 'Windows that have their vectors' }),
    windowsTotal: z.int().min(0).nullable().meta({
      description: 'Null until the whole text is read, and for a document that is not being processed',
    }),
    ...failure,
    ...wait,
  })
  .meta({ id: 'DocumentState' })

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
