import { compareCodePoints, type DocumentFilter, passesFilter } from './document-filter.js'
import { foldedNamesOf } from './document-names.js'
import type { DocumentRecord } from './document-record.js'

/** `oldest` and `newest`: by id, upwards or downwards. `name`: by the folded name, then by id. */
export const DOCUMENT_ORDERS = ['oldest', 'newest', 'name'] as const

/** The order of a list of documents. */
export type DocumentOrder = (typeof DOCUMENT_ORDERS)[number]

/** The states of documents that are not deleted. */
export const DOCUMENT_STATUSES = ['waiting', 'processing', 'completed', 'failed'] as const

/** The state of a version of a document. */
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number]

/** Selects documents of a list. A document is selected if it passes all of these. */
export interface DocumentSelection {
  readonly filter?: DocumentFilter | undefined
  /** Only documents whose current version or replacement is in one of these states. Default: all. */
  readonly statuses?: readonly DocumentStatus[] | undefined
  /** A part of one of the folded names of the current version. Default: any name. */
  readonly foldedPart?: string | undefined
}

/** The place of a document in a list, in every order. The document need not exist. */
export interface DocumentPosition {
  readonly publicId: number
  /** The folded name that users see. Only the order by name compares it. */
  readonly foldedName: string
}

/** A part of a list of documents, in its order. */
export interface DocumentPage {
  readonly order: DocumentOrder
  /** Only documents behind this position. Default: from the beginning. */
  readonly after?: DocumentPosition | undefined
  /** The last position. Default: no limit. */
  readonly upTo?: DocumentPosition | undefined
  /** Most documents. */
  readonly limit: number
  /** Bytes of text after which no further row is returned. The first row is always returned. Default: no limit. */
  readonly maxBytes?: number
}

/** @returns a negative number if the first position comes before the other one in this order, 0 or a positive number */
export function comparePositions(order: DocumentOrder, one: DocumentPosition, other: DocumentPosition): number {
  const byId = one.publicId - other.publicId
  if (order === 'newest') return -byId
  return (order === 'name' ? compareCodePoints(one.foldedName, other.foldedName) : 0) || byId
}

/** @returns true if a document is selected. @param replacement the version that is to replace the current one */
export function isSelected(
  current: DocumentRecord,
  replacement: DocumentRecord | undefined,
  { filter, statuses, foldedPart }: DocumentSelection,
): boolean {
  if (!passesFilter(current, filter)) return false
  const versions = replacement === undefined ? [current] : [current, replacement]
  if (statuses !== undefined && !versions.some((version) => statuses.includes(statusOf(version)))) return false
  if (foldedPart === undefined) return true
  const { shown, original } = foldedNamesOf(current)
  return shown.includes(foldedPart) || (original ?? '').includes(foldedPart)
}

/** The state of a version that is not deleted. */
export function statusOf({
  completed,
  error,
  started,
}: Pick<DocumentRecord, 'completed' | 'error' | 'started'>): DocumentStatus {
  if (completed !== null) return 'completed'
  if (error !== null) return 'failed'
  return started === null ? 'waiting' : 'processing'
}
