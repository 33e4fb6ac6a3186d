import { type EventRecord, type NewDelivery, type Repositories } from '../../ports/index.js'
import { DELIVER_EVENT } from '../event.js'
import { type Delivery, toDelivery } from '../records.js'

/** Enqueues deliveries for the relay. Each destination has its own lane, so that no destination waits for another. */
export async function queueDeliveries({ jobs }: Repositories, deliveries: readonly NewDelivery[]): Promise<void> {
  await jobs.enqueueAll(
    deliveries.map(({ id, destinationId, companyId }) => {
      return { kind: DELIVER_EVENT, subject: id, lane: destinationId, companyId }
    }),
  )
}

/** Adds and enqueues a delivery to one destination, even if the destination has not subscribed to the event's type. */
export async function queueDelivery(
  repositories: Repositories,
  event: Pick<EventRecord, 'id' | 'eventId' | 'type'>,
  destination: { readonly id: number; readonly companyId: number },
  { created, resendOf }: { readonly created: string; readonly resendOf: number | null },
): Promise<Delivery> {
  const delivery = await repositories.deliveries.insert({
    eventRow: event.id,
    eventId: event.eventId,
    type: event.type,
    destinationId: destination.id,
    companyId: destination.companyId,
    status: 'pending',
    httpStatus: null,
    attemptCount: 0,
    error: null,
    resendOf,
    created,
    updated: created,
  })
  await queueDeliveries(repositories, [delivery])
  return toDelivery(delivery)
}
