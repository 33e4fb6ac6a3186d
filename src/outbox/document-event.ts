import type { Clock, DestinationRecord, DocumentRecord, Repositories } from '../ports/index.js'
import type { DocumentEventData, DocumentEventType } from '../webhooks/index.js'
import { newEnvelope, storeEvent, toEventRecord } from './event.js'
import { idsOf, maySeePrivate } from './private-events.js'

type OwnData<Type extends DocumentEventType> = Required<
  Omit<DocumentEventData[Type], 'contextId' | 'docId' | 'uuid' | 'originalName'>
>

/**
 * Records an event about a document, in the transaction that makes it true. Writes nothing if nobody gets it. If no
 * destination of any company names the type, it costs one cheap read.
 *
 * In a private context, destinations get ids alone, unless whoever set their URL sees all contexts.
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
  const context = await repositories.contexts.get(document.contextId)
  const companyId = context && (await repositories.accounts.get(context.accountId))?.companyId
  if (companyId === undefined) return false
  const now = clock.now()
  const all = { ...idsOf(document), originalName: document.originalName, ...data }
  const [told, others] = await splitBySight(repositories, await destinations.listNaming(type, companyId), {
    isPrivate: context?.shareState !== 1,
    now,
  })
  const parts: readonly (readonly [readonly number[], Readonly<Record<string, unknown>>])[] = [
    [told, all],
    [others, idsOf(document)],
  ]
  let deliveries = 0
  for (const [destinationIds, members] of parts) {
    if (destinationIds.length === 0) continue
    const record = await toEventRecord(newEnvelope(type, members, now))
    deliveries += await storeEvent(repositories, record, companyId, destinationIds)
  }
  return deliveries > 0
}

/** @returns the ids of the destinations that may get all members of an event, and those of the others */
async function splitBySight(
  repositories: Repositories,
  subscribed: readonly DestinationRecord[],
  { isPrivate, now }: { readonly isPrivate: boolean; readonly now: Date },
): Promise<readonly [readonly number[], readonly number[]]> {
  const told: number[] = []
  const others: number[] = []
  for (const destination of subscribed) {
    const isTold = !isPrivate || (await maySeePrivate(repositories, destination, now))
    const ids = isTold ? told : others
    ids.push(destination.id)
  }
  return [told, others]
}
