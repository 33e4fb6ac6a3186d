import type {
  DocumentPage,
  DocumentRecord,
  DocumentRepository,
  DocumentSelection,
  Repositories,
} from '../ports/index.js'
import { INGEST_DOCUMENT, PURGE_DOCUMENT } from './document-jobs.js'

type UnprocessedMembers =
  | 'started'
  | 'completed'
  | 'error'
  | 'chunkCount'
  | 'receipt'
  | 'wordsVersion'
  | 'embeddedChunks'
  | 'excessBytes'

/** The members of a version before its processing. */
export const UNPROCESSED: Pick<DocumentRecord, UnprocessedMembers> = {
  started: null,
  completed: null,
  error: null,
  chunkCount: 0,
  receipt: null,
  wordsVersion: null,
  embeddedChunks: 0,
  excessBytes: 0,
}

/** The live versions of a document. */
export interface DocumentVersions {
  readonly current: DocumentRecord
  /** The version that becomes the current one once it is completed; undefined if there is none. */
  readonly replacement: DocumentRecord | undefined
}

/** @returns the live versions of a document; `undefined` if it is deleted or in another context */
export async function findVersions(
  { documents }: Pick<Repositories, 'documents'>,
  contextId: number,
  publicId: number,
): Promise<DocumentVersions | undefined> {
  // The replacement is read first: if it is completed between the two reads, the second one shows it.
  const [replacement] = await documents.listReplacements(contextId, [publicId])
  const current = await documents.getCurrent(publicId)
  if (current?.contextId !== contextId) return undefined
  return { current, replacement: replacement?.id === current.id ? undefined : replacement }
}

/**
 * A page of a context's documents. The replacements are read before the documents, as in {@link findVersions}: if one is
 * completed between the two reads, it is the document then.
 */
export async function listVersions(
  documents: DocumentRepository,
  contextId: number,
  page: DocumentPage,
  selection?: DocumentSelection,
): Promise<DocumentVersions[]> {
  const positions = await documents.listPositions(contextId, page, selection)
  const upTo = positions.at(-1)
  if (upTo === undefined) return []
  const ids = positions.map(({ publicId }) => publicId)
  const replacements = await documents.listReplacements(contextId, ids)
  const byPublicId = new Map(replacements.map((replacement) => [replacement.publicId, replacement]))
  const listed = await documents.listPage(contextId, { ...page, upTo }, selection)
  return listed.map((current) => {
    const replacement = byPublicId.get(current.publicId)
    return { current, replacement: replacement?.id === current.id ? undefined : replacement }
  })
}

/**
 * Deletes versions of documents, with the shadows that a re-index made of them. They are invisible once the transaction
 * is committed; jobs remove their data.
 *
 * @returns the ids of all of them
 */
export async function deleteVersions(
  { documents, shadows, jobs }: Repositories,
  versionIds: readonly number[],
  deleted: string,
): Promise<readonly number[]> {
  const ids = [...versionIds, ...(await shadows.shadowsOf(versionIds))]
  // The jobs first, as in the transactions of their runs: two transactions with different orders could deadlock.
  await jobs.cancelAll(ids.map((subject) => ({ kind: INGEST_DOCUMENT, subject })))
  for (const id of ids) await documents.update(id, { deleted })
  await jobs.enqueueAll(ids.map((subject) => ({ kind: PURGE_DOCUMENT, subject })))
  return ids
}
