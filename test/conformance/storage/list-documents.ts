import type { DocumentRecord, DocumentRepository, RowPage } from '../../../src/ports/index.js'

/** Lists current versions of a context, ordered by public id, which the page counts. @param page default: all of them */
export async function listDocuments(
  documents: DocumentRepository,
  contextId: number,
  { after, upTo, limit = Number.MAX_SAFE_INTEGER, maxBytes }: Partial<RowPage> = {},
): Promise<readonly DocumentRecord[]> {
  const positionOf = (publicId: number | undefined) =>
    publicId === undefined ? undefined : { publicId, foldedName: '' }
  return await documents.listPage(contextId, {
    order: 'oldest',
    after: positionOf(after),
    upTo: positionOf(upTo),
    limit,
    ...(maxBytes !== undefined && { maxBytes }),
  })
}
