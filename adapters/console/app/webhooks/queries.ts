import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { dataOf, type Schema, useApi } from '../api/api.js'
import { isRefusal } from '../api/refusals.js'

export type Destination = Schema<'Destination'>
export type DestinationWithSecret = Schema<'DestinationWithSecret'>
export type Delivery = Schema<'Delivery'>
export type DeliveryWithAttempts = Schema<'DeliveryWithAttempts'>

const DESTINATIONS_PER_PAGE = 100
const FIRST_INTERVAL_MS = 1_000
const MAX_INTERVAL_MS = 30_000
const INTERVAL_GROWTH = 1.5

/** Everything of this section that the page has read begins with this key. */
export const WEBHOOKS_KEY = ['webhooks'] as const

/** The destinations of a company, page by page. */
export function useDestinations(companyId: number | undefined): UseInfiniteQueryResult<readonly Destination[]> {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: [...WEBHOOKS_KEY, 'destinations', companyId],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: DESTINATIONS_PER_PAGE,
        after: pageParam,
        ...(companyId !== undefined && { cid: companyId }),
      }
      const answer = api.GET('/v1/outbound-webhooks/destinations', { params: { query }, signal })
      return await dataOf(answer)
    },
    getNextPageParam: (page) => (page.length === DESTINATIONS_PER_PAGE ? page.at(-1)?.id : undefined),
    select: ({ pages }) => pages.flat(),
  })
}

/** One destination. Its error has the status 404 if it is deleted. */
export function useDestination(id: number): UseQueryResult<Destination> {
  const api = useApi()
  return useQuery({
    queryKey: [...WEBHOOKS_KEY, 'destination', id],
    queryFn: async ({ signal }) => {
      const answer = api.GET('/v1/outbound-webhooks/destinations/{id}', { params: { path: { id } }, signal })
      return await dataOf(answer)
    },
  })
}

/** All event types: those of the specification, of documents and of the application. */
export function useCatalog(): UseQueryResult<readonly Schema<'CatalogEntry'>[]> {
  const api = useApi()
  return useQuery({
    queryKey: [...WEBHOOKS_KEY, 'catalog'],
    queryFn: async ({ signal }) => {
      const answer = api.GET('/v1/outbound-webhooks/catalog', { params: { query: { all: true } }, signal })
      return await dataOf(answer)
    },
  })
}

/**
 * A delivery with its attempts. It is read again and again until its status is final: the longer nothing changes, the
 * more seldom.
 */
export function useDelivery(id: number): UseQueryResult<DeliveryWithAttempts> {
  const api = useApi()
  const changed = useRef<{ readonly data: DeliveryWithAttempts; readonly answers: number }>(undefined)
  return useQuery({
    queryKey: [...WEBHOOKS_KEY, 'delivery', id],
    queryFn: async ({ signal }) => {
      const answer = api.GET('/v1/outbound-webhooks/deliveries/{id}', { params: { path: { id } }, signal })
      return await dataOf(answer)
    },
    refetchInterval: ({ state: { data, error, dataUpdateCount, errorUpdateCount } }) => {
      if (data === undefined || !isOpen(data) || isRefusal(error)) return false
      const answers = dataUpdateCount + errorUpdateCount
      // An answer that is as before is the same object.
      if (changed.current?.data !== data) changed.current = { data, answers }
      return Math.min(FIRST_INTERVAL_MS * INTERVAL_GROWTH ** (answers - changed.current.answers), MAX_INTERVAL_MS)
    },
  })
}

/** True if the engine still works on a delivery. */
function isOpen({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'pending' || status === 'delivering'
}
