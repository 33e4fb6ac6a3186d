import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dataOf, type Schema, useApi } from '../../api/api.js'

type Context = Schema<'Context'>
type Settings = Schema<'ContextSettings'>

/** A chosen context, as far as it is loaded. */
export interface ChosenContext {
  readonly id: number
  /** Undefined while it loads, and if the user cannot see it. */
  readonly context: Context | undefined
  readonly settings: Settings | undefined
  /** True if there is no such context, or the user may not see it. */
  readonly isMissing: boolean
  /** False once it is known that the context has no document. */
  readonly hasDocuments: boolean
}

/** The contexts whose names contain a text. */
export interface ContextList {
  readonly found: readonly Context[]
  /** True if more contexts match than `found` has. */
  readonly hasMore: boolean
  /** True until enough of them are known. A list that is read once more is no longer loading. */
  readonly isLoading: boolean
  readonly error: Error | null
  readonly refetch: () => void
}

const PAGE_SIZE = 200
const MAX_FOUND = 100

/** Reads contexts page by page, until enough of them match. */
export function useContextList(text: string): ContextList {
  const api = useApi()
  const { data, error, refetch, hasNextPage, isPending, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['search', 'contexts'],
    initialPageParam: 0,
    queryFn: async ({ pageParam: after, signal }) =>
      await dataOf(api.GET('/context', { params: { query: { limit: PAGE_SIZE, after } }, signal })),
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
  })
  const sought = text.trim().toLowerCase()
  const all = (data?.pages ?? []).flat().filter(({ name }) => name.toLowerCase().includes(sought))
  const isIncomplete = hasNextPage && error === null && all.length <= MAX_FOUND
  const needsMore = isIncomplete && !isFetching
  useEffect(() => {
    if (needsMore) void fetchNextPage()
  }, [needsMore, fetchNextPage])
  return {
    found: all.slice(0, MAX_FOUND),
    hasMore: all.length > MAX_FOUND,
    isLoading: isPending || isIncomplete,
    error,
    refetch: () => void refetch(),
  }
}

/** Reads the chosen contexts with their settings. */
export function useChosenContexts(ids: readonly number[]): readonly ChosenContext[] {
  const api = useApi()
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['search', 'context', id],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const path = { contextId: id }
        const [context, settings, documents] = await Promise.all([
          dataOf(api.GET('/context/{contextId}', { params: { path }, signal })),
          dataOf(api.GET('/context/settings/{contextId}', { params: { path }, signal })),
          dataOf(api.GET('/context/documents/{contextId}', { params: { path, query: { limit: 1 } }, signal })),
        ])
        return { context, settings, hasDocuments: documents.length > 0 }
      },
    })),
    combine: (results) =>
      results.map(({ data, error }, at) => ({
        id: ids[at] ?? 0,
        context: data?.context,
        settings: data?.settings,
        isMissing: error !== null,
        hasDocuments: data?.hasDocuments ?? true,
      })),
  })
}

const HISTORY_KEY = ['search', 'history'] as const
const MAX_HISTORY = 8

/** The last prompts of this login, the latest first. Only the memory of the page keeps them. */
export function useHistory(): { readonly prompts: readonly string[]; readonly add: (prompt: string) => void } {
  const queries = useQueryClient()
  const { data } = useQuery<readonly string[]>({
    queryKey: HISTORY_KEY,
    queryFn: () => queries.getQueryData(HISTORY_KEY) ?? [],
    initialData: [],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const add = (prompt: string): void => {
    queries.setQueryData<readonly string[]>(HISTORY_KEY, (before = []) =>
      [prompt, ...before.filter((each) => each !== prompt)].slice(0, MAX_HISTORY),
    )
  }
  return { prompts: data, add }
}
