import {
  AlreadyExistsError,
  type Cancellation,
  type DeliveryRecord,
  type DeliveryRepository,
  type DestinationRecord,
  type DestinationRepository,
  type DestinationVersion,
  type EventRepository,
  errorReason,
  type SendableDelivery,
} from '../../../src/ports/index.js'
import { isWithin, LivingRows, type MemoryTables, pageOf, type Tombstone } from './memory-tables.js'

const NO_PREVIOUS_SECRET = { previousSealedSecret: null, previousSecretExpires: null } as const

export function destinationRepository(tables: MemoryTables): DestinationRepository {
  const { destinations } = tables
  const live = new LivingRows(destinations)
  const filterLive = ({ companyId }: { readonly companyId?: number }) =>
    live.filter((destination) => companyId === undefined || destination.companyId === companyId)
  const refuseDuplicate = (companyId: number, url: string, id?: number): void => {
    if (filterLive({ companyId }).some((other) => other.id !== id && other.url === url)) {
      throw new AlreadyExistsError(
        'the company has a destination with this URL already',
        errorReason('destination-url-taken'),
      )
    }
  }
  const naming = (type: string, companyId?: number) =>
    live.filter((destination) => {
      const { disabledReason, eventTypes } = destination
      if (disabledReason !== null || !(eventTypes?.includes(type) ?? false)) return false
      return companyId === undefined || getsEventsOf(tables, destination, companyId)
    })
  return {
    insert: async (destination) => {
      refuseDuplicate(destination.companyId, destination.url)
      return live.insert(destination)
    },
    get: async (id) => live.get(id),
    list: async (filter = {}, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    count: async (companyId) => filterLive({ companyId }).length,
    update: async (id, changes) => {
      const destination = live.get(id)
      if (destination === undefined) return false
      if (changes.url !== undefined) refuseDuplicate(destination.companyId, changes.url, id)
      return destinations.update(id, changes)
    },
    isNamed: async (type, companyId) => naming(type, companyId).length > 0,
    listNaming: async (type, companyId) => naming(type, companyId),
    setIfNull: async (id, member, value, version) => {
      const destination = live.get(id)
      if (destination?.[member] !== null || !isOf(version, destination)) return false
      return destinations.update(id, { [member]: value })
    },
    removeExpiredSecrets: async ({ now, limit }) => {
      const expired = destinations
        .filter(({ previousSecretExpires }) => previousSecretExpires !== null && previousSecretExpires <= now)
        .slice(0, limit)
      for (const { id } of expired) destinations.update(id, NO_PREVIOUS_SECRET)
      return expired.length
    },
    remove: async (id, deleted) => live.update(id, { deleted, sealedSecret: '', ...NO_PREVIOUS_SECRET }),
    idsOfCompany: async (companyId) =>
      destinations.filter((destination) => destination.companyId === companyId).map(({ id }) => id),
    deleteOfCompany: async (companyId) => {
      destinations.deleteAll(destinations.filter((destination) => destination.companyId === companyId))
    },
  }
}

function isOf(version: DestinationVersion | undefined, { url, retry, updated }: DestinationVersion): boolean {
  return version === undefined || (version.url === url && version.retry === retry && version.updated === updated)
}

type StoredDestination = Tombstone<DestinationRecord>

/** A deleted company is disabled too. */
function isUsable({ companies }: MemoryTables, { deleted, disabledReason, companyId }: StoredDestination): boolean {
  return deleted === null && disabledReason === null && !(companies.get(companyId)?.isDisabled ?? false)
}

function getsEventsOf(tables: MemoryTables, destination: StoredDestination, companyId: number): boolean {
  const { companyId: ownerId, includeDescendants } = destination
  if (!isUsable(tables, destination)) return false
  return ownerId === companyId || (includeDescendants && isWithin(tables.companies, companyId, ownerId))
}

export function eventRepository({ events }: MemoryTables): EventRepository {
  return {
    insert: async (event) => events.insert(event),
    get: async (id) => events.get(id),
  }
}

const NEW_DELIVERY = {
  status: 'pending',
  httpStatus: null,
  attemptCount: 0,
  error: null,
  reason: null,
  resendOf: null,
} as const

const NEW_ATTEMPT = { outcome: null, httpStatus: null, error: null, reason: null, responseBody: null, durationMs: null }

export function deliveryRepository(tables: MemoryTables): DeliveryRepository {
  const { deliveries, attempts, events, destinations, companies } = tables
  const isOpen = ({ status }: DeliveryRecord): boolean => status === 'pending' || status === 'delivering'
  const removeRows = (removed: readonly DeliveryRecord[]): void => {
    const ids = new Set(removed.map(({ id }) => id))
    attempts.deleteAll(attempts.filter(({ deliveryId }) => ids.has(deliveryId)))
    deliveries.deleteAll(removed)
  }
  const cancel = (open: readonly DeliveryRecord[], cancellation: Cancellation): void => {
    for (const { id } of open) deliveries.update(id, { status: 'cancelled', ...cancellation })
  }
  return {
    fanOut: async (
      { id: eventRow, eventId, type, companyId, created, traceparent = null },
      { isNamedOnly, destinationIds },
    ) => {
      const subscribed = destinations.filter((destination) => {
        const { id, eventTypes } = destination
        if (destinationIds?.includes(id) === false) return false
        return getsEventsOf(tables, destination, companyId) && (eventTypes?.includes(type) ?? !isNamedOnly)
      })
      const event = { eventRow, eventId, type, created, updated: created, traceparent }
      return subscribed.map(({ id: destinationId, companyId: ownerId }) => {
        const { id } = deliveries.insert({ ...NEW_DELIVERY, ...event, destinationId, companyId: ownerId })
        return { id, destinationId, companyId: ownerId }
      })
    },
    insert: async ({ traceparent = null, ...delivery }) => deliveries.insert({ ...delivery, traceparent }),
    getSendable: async (ids) => {
      const sendable = new Map<number, SendableDelivery>()
      for (const id of ids) {
        const delivery = deliveries.get(id)
        const destination = delivery && destinations.get(delivery.destinationId)
        const event = delivery && events.get(delivery.eventRow)
        if (!delivery || !destination || !isUsable(tables, destination) || !event) continue
        sendable.set(id, { delivery, destination, event })
      }
      return sendable
    },
    get: async (id) => deliveries.get(id),
    list: async ({ destinationId, status, type, withinCompanyId, beforeId, limit }) =>
      deliveries
        .filter(
          (delivery) =>
            (destinationId === undefined || delivery.destinationId === destinationId) &&
            (status === undefined || delivery.status === status) &&
            (type === undefined || delivery.type === type) &&
            (beforeId === undefined || delivery.id < beforeId) &&
            (withinCompanyId === undefined || isWithin(companies, delivery.companyId, withinCompanyId)),
        )
        .reverse()
        .slice(0, limit),
    update: async (id, changes) => deliveries.update(id, changes),
    updateAll: async (changed) => {
      for (const { id, ...changes } of changed) deliveries.update(id, changes)
    },
    cancelAll: async (ids, cancellation) => {
      cancel(
        deliveries.filter((delivery) => ids.includes(delivery.id) && isOpen(delivery)),
        cancellation,
      )
    },
    cancelOpen: async (destinationId, cancellation) => {
      const open = deliveries.filter((delivery) => delivery.destinationId === destinationId && isOpen(delivery))
      cancel(open, cancellation)
      return open.filter(({ status }) => status === 'delivering').map(({ id }) => id)
    },
    insertAttempts: async (newAttempts) => {
      const ids = new Map<number, number>()
      for (const { deliveryId, started, destination: expected } of newAttempts) {
        const destination = destinations.get(deliveries.get(deliveryId)?.destinationId ?? 0)
        const isUnchanged =
          destination?.deleted === null &&
          destination.disabledReason === null &&
          destination.signatureScheme === expected.signatureScheme &&
          destination.url === expected.url &&
          destination.sealedSecret === expected.sealedSecret
        if (!isUnchanged || attempts.find((open) => open.deliveryId === deliveryId && open.outcome === null)) continue
        ids.set(deliveryId, attempts.insert({ deliveryId, started, ...NEW_ATTEMPT }).id)
      }
      return ids
    },
    endAttempts: async (endedAttempts) => {
      for (const { id, ...changes } of endedAttempts) attempts.update(id, changes)
    },
    interruptAttempts: async (ids) => {
      const open = attempts.filter(({ deliveryId, outcome }) => outcome === null && ids.includes(deliveryId))
      for (const { id } of open) attempts.update(id, { outcome: 'interrupted' })
    },
    removeOfCompany: async (companyId, limit) => {
      const removed = deliveries.filter((delivery) => delivery.companyId === companyId).slice(0, limit)
      removeRows(removed)
      return removed.length
    },
    removeEventsOfCompany: async (companyId, { after, limit }) => {
      const page = events.filter(({ id }) => id > after).slice(0, limit)
      for (const { id } of page.filter((event) => event.companyId === companyId)) {
        removeRows(deliveries.filter(({ eventRow }) => eventRow === id))
        events.delete(id)
      }
      return page.at(-1)?.id
    },
    listAttempts: async (deliveryId) => attempts.filter((attempt) => attempt.deliveryId === deliveryId),
    removeOld: async ({ before, limit }) => {
      const oldDeliveries = deliveries
        .filter((delivery) => delivery.created < before && !isOpen(delivery))
        .slice(0, limit)
      removeRows(oldDeliveries)
      const oldEvents = events
        .filter(({ id, created }) => created < before && !deliveries.find(({ eventRow }) => eventRow === id))
        .slice(0, limit)
      events.deleteAll(oldEvents)
      const oldDestinations = destinations
        .filter(({ id, deleted }) => {
          const isOld = deleted !== null && deleted < before
          return isOld && !deliveries.find(({ destinationId }) => destinationId === id)
        })
        .slice(0, limit)
      destinations.deleteAll(oldDestinations)
      return oldDeliveries.length + oldEvents.length + oldDestinations.length
    },
  }
}
