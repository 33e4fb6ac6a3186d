import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../api/api.js'
import { useLogin, useOwnSight } from '../login/use-login.js'

export type Gpt = Schema<'Context'>

/** Gpts in one answer. Each may have a megabyte of tools. */
const PER_PAGE = 100

/** Begins the keys of all queries of contexts. */
export const GPTS = ['contexts'] as const

/** All contexts that the user may see, page by page. */
export function useGpts(): UseInfiniteQueryResult<readonly Gpt[]> {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: [...GPTS, 'list'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) =>
      await dataOf(api.GET('/context', { params: { query: { limit: PER_PAGE, after: pageParam } }, signal })),
    getNextPageParam: (page) => (page.length < PER_PAGE ? undefined : page.at(-1)?.id),
    select: ({ pages }) => pages.flat(),
  })
}

/** One context. */
export function useGpt(contextId: number): UseQueryResult<Gpt> {
  const api = useApi()
  return useQuery({
    queryKey: [...GPTS, contextId],
    queryFn: async ({ signal }) =>
      await dataOf(api.GET('/context/{contextId}', { params: { path: { contextId } }, signal })),
  })
}

/**
 * A function that tells if the user may change a context: an own one, or any with `tenant:manage` on the account. A login
 * that sees the whole account changes any too. The server decides in the end.
 */
export function useMayChange(): (gpt: Pick<Gpt, 'userId'>) => boolean {
  const { can, login, account } = useLogin()
  const sight = useOwnSight()
  const changesAll = sight === 'account' || account?.capabilities.includes('tenant:manage') === true
  return ({ userId }) => can('context:write') && (changesAll || userId === login.user.id)
}
