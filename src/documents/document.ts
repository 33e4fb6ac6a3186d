import { recordChange } from '../audit/index.js'
import { findReadable, findWritable } from '../contexts/index.js'
import { AlcoveError, errorCodeOf, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { idSchema, openObjectSchema, textSchema, validate } from '../kernel/validate.js'
import {
  type ContextRecord,
  type DocumentMetadata,
  type DocumentRecord,
  displayNameOf,
  type IngestionReceipt,
  type Repositories,
  shownName,
} from '../ports/index.js'
import type { Access } from '../tenancy/index.js'
import { type DocumentVersions, findVersions } from './versions.js'

/** A new version of a document that waits, is being processed or has failed. Searches do not find it yet. */
export interface DocumentReplacement {
  /** The UUID that `replace` returned. It becomes the document's UUID once the replacement is completed. */
  readonly uuid: string
  readonly originalName: string
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  /** Bytes. */
  readonly size: number
  readonly created: string
  readonly started: string | null
  /** Null, or a sentence that ends in its error code. Set only when the failure is final. */
  readonly error: string | null
  /** The code at the end of `error`. */
  readonly errorCode: string | null
}

/** A training document: its current version. Specification: Document record. */
export interface Document {
  /** It stays the same when the document is replaced. */
  readonly id: number
  readonly contextId: number
  /** The UUID that the upload, or the last completed replacement, returned. */
  readonly uuid: string
  /** The same as `uuid`. Specification: Document record, which has this name. */
  readonly fileName: string
  /** The name at the upload in NFC, without path, control characters and overrides of the text direction. */
  readonly originalName: string
  /**
   * A safe name for a saved file: the name that a user gave the document, or else the original name, or `report (1).pdf`
   * for the second document of that name.
   */
  readonly displayName: string
  readonly nameIndex: number
  readonly contentType: string
  /** Lower-case hex SHA-256 of the bytes. */
  readonly contentHash: string
  /** Bytes. */
  readonly size: number
  readonly chunks: number
  readonly created: string
  readonly createdBy: number
  readonly started: string | null
  readonly completed: string | null
  /** Null, or a sentence that ends in its error code. Set only when the failure is final. */
  readonly error: string | null
  /** The code at the end of `error`. */
  readonly errorCode: string | null
  /** Values by key, as the upload or later changes gave them. */
  readonly metadata: DocumentMetadata
  /** The version that replaces this one once it is completed; null if there is none. */
  readonly replacement: DocumentReplacement | null
}

/** A document with its receipt. */
export interface DocumentWithReceipt extends Document {
  /** Null until the document is completed. */
  readonly receipt: IngestionReceipt | null
  /**
   * Null, or a sentence that ends in its error code: the reason for which the document, or its replacement, waits. The
   * server of the embedding model is away, or a disk of this process is full or read-only. The document is processed once
   * that is over.
   */
  readonly waiting: string | null
  /** The code at the end of `waiting`. */
  readonly waitingCode: string | null
}

/**
 * Identifies a document: its UUID, or its id within its context. That id is the `docId` of a hit in the context. The UUID
 * of a replacement identifies the document too. The UUID of a version that was replaced does not.
 */
export type DocumentReference = string | { readonly contextId: number; readonly id: number }

/** True if the document is not completed, failed or deleted: a worker processes it, or will. */
export function isUnfinished({ completed, error, deleted }: DocumentRecord): boolean {
  return (completed ?? error ?? deleted) === null
}

/** @param record the current version, or the one that an event is about */
export function toDocument(record: DocumentRecord, replacement?: DocumentRecord): Document {
  return {
    id: record.publicId,
    contextId: record.contextId,
    uuid: record.uuid,
    fileName: record.uuid,
    originalName: record.originalName,
    displayName: displayNameOf(record),
    nameIndex: record.nameIndex,
    contentType: record.contentType,
    contentHash: record.contentHash,
    size: record.sizeBytes,
    chunks: record.chunkCount,
    created: record.created,
    createdBy: record.createdBy,
    started: record.started,
    completed: record.completed,
    error: record.error,
    errorCode: errorCodeOf(record.error),
    metadata: record.metadata,
    replacement: replacement === undefined ? null : toReplacement(replacement),
  }
}

function toReplacement(record: DocumentRecord): DocumentReplacement {
  const { uuid, contentHash, sizeBytes: size, created, started, error } = record
  const errorCode = errorCodeOf(error)
  return { uuid, originalName: record.originalName, contentHash, size, created, started, error, errorCode }
}

const MAX_NAME_CHARACTERS = 10_000

/**
 * The name of an uploaded file, as `originalName` shows it. Names come from strangers, so they may be hostile.
 *
 * - Only the last part of a path stays, with either kind of slash.
 * - A letter with an accent becomes one code point (NFC), because systems differ in the form that they send.
 * - Control characters, line separators and overrides of the text direction become U+FFFD; everything else stays.
 *
 * @throws InvalidInputError if the name is empty, or has more than 10,000 characters
 */
export function parseFileName(fileName: unknown): string {
  const name = typeof fileName === 'string' ? shownName(fileName).normalize('NFC') : ''
  if (name.trim() === '') {
    throw new InvalidInputError('fileName', 'must be a name that ends in the format, such as report.pdf')
  }
  if (name.length > MAX_NAME_CHARACTERS) {
    throw new InvalidInputError('fileName', `must have at most ${MAX_NAME_CHARACTERS} characters`)
  }
  return name
}

const BY_ID = openObjectSchema({ contextId: idSchema(), id: idSchema() })
const BY_UUID = textSchema({ min: 1, max: 100 })

/** A document that a caller may read, or write. */
export interface FoundDocument {
  /** The current version. */
  readonly document: DocumentRecord
  readonly replacement: DocumentRecord | undefined
  readonly context: ContextRecord
}

/**
 * Finds a live document in a context that the caller may read, or write.
 *
 * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also if the caller may not read the context;
 *   `ERR_CONTEXT_NOT_FOUND` if the reference names a context
 * @throws ForbiddenError if another user shares the context, and the purpose is 'write'
 */
export async function findDocument(
  repositories: Repositories,
  access: Access,
  reference: DocumentReference,
  purpose: 'read' | 'write',
): Promise<FoundDocument> {
  const find = purpose === 'read' ? findReadable : findWritable
  if (typeof reference === 'object') {
    const { contextId, id } = validate(BY_ID, reference, 'document')
    const context = await find(repositories, access, contextId)
    return toFound(await findVersions(repositories, contextId, id), context, id)
  }
  if (typeof reference === 'number') {
    throw new InvalidInputError(
      'document',
      'must be a UUID or { contextId, id }: an id, such as the docId of a hit, is valid only within its context',
    )
  }
  const uuid = validate(BY_UUID, reference, 'document')
  const version = await repositories.documents.getByUuid(uuid)
  if (version === undefined) throw new NotFoundError('document', uuid)
  const { contextId, publicId } = version
  let context: ContextRecord
  try {
    context = await find(repositories, access, contextId)
  } catch (error) {
    throw withoutContext(error, uuid)
  }
  return toFound(await findVersions(repositories, contextId, publicId), context, uuid)
}

/** The error for a caller who named a document by its UUID, and no context. */
export function withoutContext(error: unknown, uuid: string): unknown {
  const isHidden = error instanceof AlcoveError && error.code === 'ERR_CONTEXT_NOT_FOUND'
  return isHidden ? new NotFoundError('document', uuid) : error
}

function toFound(
  versions: DocumentVersions | undefined,
  context: ContextRecord,
  reference: number | string,
): FoundDocument {
  if (versions === undefined) throw new NotFoundError('document', reference)
  return { document: versions.current, replacement: versions.replacement, context }
}

/** Records what a caller did with a document, in the transaction of the change. */
export async function recordDocumentChange(
  repositories: Repositories,
  { by, companyId }: Access,
  now: Date,
  action: DocumentAction,
  { publicId: targetId, contextId }: Pick<DocumentRecord, 'publicId' | 'contextId'>,
): Promise<void> {
  await recordChange(repositories, by, now, { action, companyId, targetId, details: { contextId } })
}

type DocumentAction =
  | 'document.uploaded'
  | 'document.replaced'
  | 'document.updated'
  | 'document.retried'
  | 'document.deleted'
