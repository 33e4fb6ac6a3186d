import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../api/api.js'

export type Company = Schema<'Company'>

const PAGE_SIZE = 20

/** The companies that the user manages, page by page. */
export function useCompanies(): UseInfiniteQueryResult<InfiniteData<readonly Company[]>> {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: ['operate', 'companies'],
    queryFn: async ({ signal, pageParam }) =>
      await dataOf(api.GET('/tenant/companies', { params: { query: { limit: PAGE_SIZE, after: pageParam } }, signal })),
    initialPageParam: 0,
    getNextPageParam: (page: readonly Company[]) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
  })
}
