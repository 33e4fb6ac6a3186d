import type { DeliveryRecord, EventRecord, Repositories } from '../../ports/index.js'
import { DELIVER_EVENT } from '../job-kinds.js'

/**
 * Puts an event on its way: one delivery for each destination, and the job that sends it. Deliveries to
 * one destination are a lane of their own, so that no destination waits for another.
 */
export async function queueDeliveries(
  { deliveries, jobs }: Repositories,
  event: Pick<EventRecord, 'id' | 'eventId' | 'type'>,
  destinations: readonly { readonly id: number; readonly companyId: number }[],
  queued: { readonly created: string; readonly resendOf?: number },
): Promise<readonly DeliveryRecord[]> {
  const { created, resendOf = null } = queued
  const records = await deliveries.insertAll(
    destinations.map(({ id, companyId }) => ({
      eventRow: event.id,
      eventId: event.eventId,
      type: event.type,
      destinationId: id,
      companyId,
      status: 'pending',
      httpStatus: null,
      attemptCount: 0,
      error: null,
      resendOf,
      created,
      updated: created,
    })),
  )
  await jobs.enqueueAll(
    records.map(({ id, destinationId, companyId }) => {
      return { kind: DELIVER_EVENT, subject: id, lane: destinationId, companyId }
    }),
  )
  return records
}
