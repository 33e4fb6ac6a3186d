import type { DocumentWithReceipt, Session, TextRange } from '../../src/index.js'
import type { DocumentAddress } from './document-uri.js'
import type { OfferedContexts } from './offered-contexts.js'

/** A part of a document's text, in UTF-16 units. */
export interface DocumentPart {
  readonly document: DocumentWithReceipt
  readonly text: string
  /** Offset of the first unit. */
  readonly start: number
  /** Offset after the last unit. */
  readonly end: number
  /** Length of the whole text. */
  readonly length: number
}

/**
 * Reads a part of a document's text. Cuts no character in half.
 *
 * @param range default: the whole text. An `end` after the end of the text means its end
 * @param maxUnits length of the longest part: a longer one ends early
 * @throws TextUnavailableError if the document is being processed, or has failed
 * @throws InvalidInputError if the document ends before the start of the range
 * @throws NotFoundError for a document that is not there, or in a context that is not offered
 */
export async function readPart(
  session: Session,
  offered: OfferedContexts,
  { contextId, documentId }: DocumentAddress,
  range: TextRange,
  maxUnits: number,
): Promise<DocumentPart> {
  offered.require(contextId)
  const reference = { contextId, id: documentId }
  const document = await session.documents.get(reference)
  const length = document.receipt?.characters ?? 0
  const start = range.start ?? 0
  // A start after the end of the text is for the engine to refuse.
  const end = start > length ? undefined : Math.min(range.end ?? length, length, start + maxUnits)
  const text = await session.documents.text(reference, { start, end })
  return { document, length, ...withoutHalves(text, start) }
}

/** Leaves out half of a surrogate pair at either end. */
function withoutHalves(text: string, start: number): Pick<DocumentPart, 'text' | 'start' | 'end'> {
  const from = /^[\uDC00-\uDFFF]/.test(text) ? 1 : 0
  const to = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length
  const whole = text.slice(from, Math.max(from, to))
  return { text: whole, start: start + from, end: start + from + whole.length }
}
