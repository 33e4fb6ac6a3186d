import type { Clock, DocumentRecord, Repositories } from '../ports/index.js'
import type { DocumentEventData, DocumentEventType } from '../webhooks/index.js'
import { newEnvelope, storeEvent, toEventRecord } from './event.js'

type OwnData<Type extends DocumentEventType> = Omit<
  DocumentEventData[Type],
  'contextId' | 'docId' | 'uuid' | 'originalName'
>

/**
 * Records an event about a document, in the transaction that makes it true. Writes nothing if nobody gets it. If no
 * destination of any company names the type, it costs one cheap read.
 *
 * @param data the members that the type has beside those of every document
 * @returns true if there are deliveries
 */
export async function recordDocumentEvent<Type extends DocumentEventType>(
  repositories: Repositories,
  clock: Clock,
  type: Type,
  document: Pick<DocumentRecord, 'contextId' | 'publicId' | 'uuid'> & { readonly originalName: string },
  data: OwnData<Type>,
): Promise<boolean> {
  const { destinations } = repositories
  if (!(await destinations.isNamed(type))) return false
  const companyId = await companyOf(repositories, document.contextId)
  if (companyId === undefined || !(await destinations.isNamed(type, companyId))) return false
  const { contextId, publicId: docId, uuid, originalName } = document
  const envelope = newEnvelope(type, { contextId, docId, uuid, originalName, ...data }, clock.now())
  return (await storeEvent(repositories, await toEventRecord(envelope), companyId)) > 0
}

/** @returns the company of the context's account; undefined if the context is deleted */
async function companyOf({ contexts, accounts }: Repositories, contextId: number): Promise<number | undefined> {
  const context = await contexts.get(contextId)
  return context && (await accounts.get(context.accountId))?.companyId
}
