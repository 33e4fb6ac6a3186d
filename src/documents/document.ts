import { findReadable, findWritable } from '../contexts/index.js'
import { AlcoveError, InvalidInputError, NotFoundError } from '../kernel/errors.js'
import { idSchema, objectSchema, textSchema, validate } from '../kernel/validate.js'
import type { ContextRecord, DocumentRecord, IngestionReceipt, Repositories } from '../ports/index.js'
import type { Access } from '../tenancy/index.js'

/** A training document as the specification lists it, with `error` beside (decision 7). */
export interface Document {
  readonly id: number
  readonly contextId: number
  /** The UUID that the upload answered. */
  readonly fileName: string
  /** The name it had at upload: no path, no control character, no override of the direction of text. */
  readonly originalName: string
  /** The original name, or `report (1).pdf` for the second of that name: safe to save a file under. */
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
  /** Null, or a sentence that ends in its code; set only when the failure is final. */
  readonly error: string | null
}

/** A document with the proof of what was done to it. */
export interface DocumentWithReceipt extends Document {
  /** Null until the document is completed. */
  readonly receipt: IngestionReceipt | null
}

/** Names a document: its UUID, or its id within its context, which is the `docId` of a hit in that context. */
export type DocumentReference = string | { readonly contextId: number; readonly id: number }

/** Whether it is still to be processed. */
export function isUnfinished({ completed, error, deleted }: DocumentRecord): boolean {
  return (completed ?? error ?? deleted) === null
}

export function toDocument(record: DocumentRecord): Document {
  return {
    id: record.id,
    contextId: record.contextId,
    fileName: record.uuid,
    originalName: shownName(record.originalName),
    displayName: displayName(record.originalName, record.nameIndex),
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
  }
}

const MAX_NAME_CHARACTERS = 10_000
/** What file systems take for one name. */
const MAX_DISPLAY_BYTES = 255

const REPLACEMENT = '\uFFFD'
/** Control characters, separators of lines and paragraphs, and what overrides the direction of a text (UAX 9). */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu
/** What Windows refuses in a name; other systems refuse less. */
const NOT_IN_FILE_NAMES = /["*/:<>?\\|]/g
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * The name of an uploaded file, as `originalName` shows it. Names come from strangers.
 *
 * - Of a path, the last part alone, whichever slash it has.
 * - Control characters, line separators and overrides of the direction become U+FFFD; everything else stays.
 *
 * @throws InvalidInputError where there is no name, or one of more than 10,000 characters
 */
export function parseFileName(fileName: unknown): string {
  const name = typeof fileName === 'string' ? shownName(fileName) : ''
  if (name.trim() === '') {
    throw new InvalidInputError('fileName', 'must be a name that ends in the format, such as report.pdf')
  }
  if (name.length > MAX_NAME_CHARACTERS) {
    throw new InvalidInputError('fileName', `must have at most ${MAX_NAME_CHARACTERS} characters`)
  }
  return name
}

/** As {@link parseFileName}, for names that were stored before it was as strict. */
export function shownName(originalName: string): string {
  const name = originalName.slice(Math.max(originalName.lastIndexOf('/'), originalName.lastIndexOf('\\')) + 1)
  return name.toWellFormed().replace(INVISIBLE, REPLACEMENT)
}

/**
 * A name that a file can be saved under on every system: the original one, or `report (1).pdf` for the second document
 * of that name. At most 255 bytes of UTF-8; the format's ending stays.
 */
export function displayName(originalName: string, nameIndex: number): string {
  const safe = shownName(originalName)
    .replace(NOT_IN_FILE_NAMES, '_')
    .trim()
    .replace(/[. ]+$/, '')
    .replace(DEVICE, '_$&')
  const dot = safe.lastIndexOf('.')
  const end = dot >= 0 ? dot : safe.length
  const ending = (nameIndex === 0 ? '' : ` (${nameIndex})`) + cut(safe.slice(end), MAX_DISPLAY_BYTES / 4)
  const stem = end === 0 ? '_' : safe.slice(0, end)
  return cut(stem, MAX_DISPLAY_BYTES - byteLength(ending)) + ending
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The beginning of a text, of at most so many bytes of UTF-8; never half a character. */
function cut(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}

const BY_ID = objectSchema({ contextId: idSchema(), id: idSchema() })
const BY_UUID = textSchema({ min: 1, max: 100 })

/**
 * A live document in a context that the principal sees, or may change.
 *
 * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also where the context is not the principal's to see;
 *   `ERR_CONTEXT_NOT_FOUND` where the reference names a context
 * @throws ForbiddenError where the context is shared by another user
 */
export async function findDocument(
  repositories: Repositories,
  access: Access,
  reference: DocumentReference,
  purpose: 'read' | 'write',
): Promise<{ readonly document: DocumentRecord; readonly context: ContextRecord }> {
  const find = purpose === 'read' ? findReadable : findWritable
  if (typeof reference === 'object') {
    const { contextId, id } = validate(BY_ID, reference, 'document')
    const context = await find(repositories, access, contextId)
    const document = await repositories.documents.get(id)
    if (document?.contextId !== contextId) throw new NotFoundError('document', id)
    return { document, context }
  }
  if (typeof reference === 'number') {
    throw new InvalidInputError(
      'document',
      'must be a UUID or { contextId, id }: an id, such as the docId of a hit, names a document within its context only',
    )
  }
  const uuid = validate(BY_UUID, reference, 'document')
  const document = await repositories.documents.getByUuid(uuid)
  if (document === undefined) throw new NotFoundError('document', uuid)
  try {
    return { document, context: await find(repositories, access, document.contextId) }
  } catch (error) {
    const isHidden = error instanceof AlcoveError && error.code === 'ERR_CONTEXT_NOT_FOUND'
    throw isHidden ? new NotFoundError('document', uuid) : error
  }
}
