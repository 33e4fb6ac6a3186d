import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type AlcoveClient, dataOf, type Schema, useApi } from '../../api/api.js'
import { isRefusal } from '../../api/refusals.js'
import { type Delivery, WEBHOOKS_KEY } from '../queries.js'

/** Selects the deliveries that a log shows. */
export interface DeliveryFilter {
  readonly destinationId?: number
  readonly status?: Delivery['status']
  readonly type?: string
}

type Page = Schema<'DeliveryPage'>

/** The shown rows have a key of their own, so they stay when others are read again. */
const SHOWN_KEY = ['webhook-log'] as const
const PAGE_SIZE = 50
const POLL_MS = 2_000

/** One page of the log, the newest delivery first. @throws AlcoveApiError */
export async function readDeliveries(
  api: AlcoveClient,
  filter: DeliveryFilter,
  { cursor, limit = PAGE_SIZE, signal }: { cursor?: string | undefined; limit?: number; signal: AbortSignal },
): Promise<Page> {
  const query = { ...filter, limit, ...(cursor !== undefined && { cursor }) }
  return await dataOf(api.GET('/v1/outbound-webhooks/deliveries', { params: { query }, signal }))
}

/** A delivery as the log shows it. */
export interface LoggedDelivery extends Delivery {
  /** True if it no longer matches the filter: it has another status now. */
  readonly isLeft: boolean
}

interface LiveDeliveries {
  /** Undefined while the first page loads. */
  readonly data: readonly LoggedDelivery[] | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
  /** The number of deliveries that are not shown yet. */
  readonly newCount: number
  /** True if there are more of them than one page has. */
  readonly isMoreNew: boolean
  readonly showNew: () => void
  /** Why the log is not live at the moment. */
  readonly pollError: Error | null
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

/**
 * The log of deliveries, live: the shown rows stay where they are and change their state. New ones are counted, until
 * the user asks for them.
 */
export function useLiveDeliveries(filter: DeliveryFilter): LiveDeliveries {
  const api = useApi()
  const queries = useQueryClient()
  const shownKey = [...SHOWN_KEY, filter]
  const shown = useInfiniteQuery({
    queryKey: shownKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => await readDeliveries(api, filter, { cursor: pageParam, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Only the user changes which rows are shown. A user who comes back sees the newest ones.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const newest = useQuery({
    queryKey: [...WEBHOOKS_KEY, 'newest', filter],
    queryFn: async ({ signal }) => await readDeliveries(api, filter, { signal }),
    enabled: shown.data !== undefined,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : POLL_MS),
    staleTime: 0,
    gcTime: 0,
  })
  const rows = shown.data?.pages.flatMap(({ items }) => items)
  const fresh = rows === undefined || newest.data === undefined ? [] : newOnes(rows, newest.data, shown.hasNextPage)
  const data = rows && (newest.data === undefined ? rows.map(unchanged) : merged(rows, newest.data))
  const showNew = (): void => {
    if (newest.data !== undefined) queries.setQueryData(shownKey, { pages: [newest.data], pageParams: [undefined] })
  }
  // In an empty log, new rows move nothing that anybody reads.
  const isFirst = rows?.length === 0 && fresh.length > 0
  useEffect(() => {
    if (isFirst) showNew()
  })
  return {
    data,
    error: shown.error,
    refetch: shown.refetch,
    newCount: isFirst ? 0 : fresh.length,
    isMoreNew: fresh.length === PAGE_SIZE && newest.data?.nextCursor !== null,
    showNew,
    pollError: newest.error,
    hasNextPage: shown.hasNextPage,
    isFetchingNextPage: shown.isFetchingNextPage,
    fetchNextPage: shown.fetchNextPage,
  }
}

/** The deliveries of the newest page that are not shown. Older ones than the last row may be on a page to come. */
function newOnes(rows: readonly Delivery[], { items }: Page, hasNextPage: boolean): readonly Delivery[] {
  const ids = new Set(rows.map(({ id }) => id))
  const lastId = hasNextPage ? (rows.at(-1)?.id ?? 0) : 0
  return items.filter(({ id }) => id > lastId && !ids.has(id))
}

function merged(rows: readonly Delivery[], { items, nextCursor }: Page): readonly LoggedDelivery[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  // The newest page has every delivery from its last one on that matches the filter.
  const oldestId = nextCursor === null ? 0 : (items.at(-1)?.id ?? 0)
  return rows.map((row) => {
    const now = byId.get(row.id)
    return now === undefined ? { ...row, isLeft: row.id > oldestId } : unchanged(now)
  })
}

function unchanged(row: Delivery): LoggedDelivery {
  return { ...row, isLeft: false }
}
