import {
  type UseInfiniteQueryResult,
  type UseMutationResult,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../../api/api.js'
import type { Sight } from '../../login/use-login.js'

export type ApiKey = Schema<'ApiKey'>
export type NewApiKey = Schema<'ApiKeyWithSecret'>
export type Target = 'assistant' | 'tenant'

const PAGE_SIZE = 50

export function useKeys(): UseInfiniteQueryResult<readonly ApiKey[]> {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: ['people', 'keys'],
    initialPageParam: 0,
    queryFn: async ({ pageParam: after, signal }) =>
      await dataOf(api.GET('/tenant/keys', { params: { query: { limit: PAGE_SIZE, after } }, signal })),
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
    select: ({ pages }) => pages.flat(),
  })
}

export interface KeyInput {
  readonly companyId: number
  readonly userId?: number
  readonly targets: Target[]
  readonly sight: Sight
  readonly expires?: string
}

/** The answer has the secret, so no cache keeps it longer than its page. */
export function useCreateKey(): UseMutationResult<NewApiKey, Error, KeyInput> {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    gcTime: 0,
    mutationFn: async (body: KeyInput) => await dataOf(api.POST('/tenant/keys', { body })),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['people'] })
    },
  })
}
