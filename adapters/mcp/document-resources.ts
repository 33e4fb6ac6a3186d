import {
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { Context, Document, Session } from '../../src/index.js'
import { parseCursor, toCursor } from './cursor.js'
import { readPart } from './document-part.js'
import { DOCUMENT_URI_TEMPLATE, documentUri, parseDocumentUri } from './document-uri.js'
import type { OfferedContexts } from './offered-contexts.js'

const PAGE_SIZE = 100
/** The most contexts that one page looks into: most may be empty. */
const MAX_CONTEXTS_READ = 50
/** The most text of one answer, in UTF-16 units: more than most models take. */
const MAX_TEXT_UNITS = 200_000
const MIME_TYPE = 'text/plain'

/** The address of a document, or of a part of its text. */
export const DOCUMENT_TEMPLATE: ResourceTemplateType = {
  name: 'document',
  title: 'Text of a document',
  uriTemplate: DOCUMENT_URI_TEMPLATE,
  description: 'The text of a document; start and end are offsets in UTF-16 units, and select a part of it.',
  mimeType: MIME_TYPE,
}

/** Lists documents that have a text, context by context. @throws ProtocolError for an invalid cursor */
export async function listDocuments(
  session: Session,
  offered: OfferedContexts,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const [contextId = 0, documentId = 0] = parseCursor(cursor, 2)
  const resources: Resource[] = []
  // The context of the position comes first: its list may not be at its end.
  const page = { after: Math.max(0, contextId - 1), limit: MAX_CONTEXTS_READ }
  const { contexts, nextAfter: nextContexts } = await offered.page(session, page)
  for (const [index, context] of contexts.entries()) {
    const after = context.id === contextId ? documentId : 0
    const { items, nextAfter } = await session.documents.page(context.id, {
      after,
      limit: PAGE_SIZE - resources.length,
    })
    for await (const document of items) if (document.completed !== null) resources.push(toResource(context, document))
    if (nextAfter !== null) return { resources, nextCursor: toCursor([context.id, nextAfter]) }
    const isLast = nextContexts === null && index === contexts.length - 1
    if (resources.length >= PAGE_SIZE && !isLast) return { resources, nextCursor: toCursor([context.id + 1, 0]) }
  }
  return { resources, ...(nextContexts !== null && { nextCursor: toCursor([nextContexts + 1, 0]) }) }
}

function toResource(context: Context, document: Document): Resource {
  const { id, displayName, completed } = document
  return {
    uri: documentUri({ contextId: context.id, documentId: id }),
    name: displayName,
    title: displayName,
    description: `Text of a document of the context "${context.name}"`,
    mimeType: MIME_TYPE,
    ...(completed !== null && { annotations: { lastModified: completed } }),
  }
}

/**
 * Reads a document, or the part that the URI names. A longer text ends early, and a second content says where the rest
 * begins.
 *
 * @throws ResourceNotFoundError for a URI of something else
 */
export async function readDocument(
  session: Session,
  offered: OfferedContexts,
  uri: string,
): Promise<ReadResourceResult> {
  const address = parseDocumentUri(uri)
  if (address === undefined) {
    throw new ResourceNotFoundError(uri, `no resource has the URI ${uri.slice(0, 200)}: resources/list has the URIs`)
  }
  const { text, end, length } = await readPart(session, offered, address, address.range, MAX_TEXT_UNITS)
  const contents = [{ uri, mimeType: MIME_TYPE, text }]
  const wanted = Math.min(address.range.end ?? length, length)
  if (end < wanted) {
    const rest = documentUri(address, { start: end, ...(address.range.end !== undefined && { end: wanted }) })
    contents.push({
      uri: rest,
      mimeType: MIME_TYPE,
      text: `The text goes on for ${wanted - end} characters: read ${rest}`,
    })
  }
  return { contents }
}
