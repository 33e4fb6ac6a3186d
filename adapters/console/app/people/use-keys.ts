import {
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type AlcoveClient, dataOf, type Schema, useApi } from '../api/api.js'
import { useLogin } from '../login/use-login.js'

export type ApiKey = Schema<'ApiKey'>
export type NewApiKey = Schema<'ApiKeyWithSecret'>
export type Sight = ApiKey['sight']
export type Target = 'assistant' | 'tenant'

const PAGE_SIZE = 50
const SEARCH_SIZE = 500

export function useKeys(): UseInfiniteQueryResult<readonly ApiKey[]> {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: ['people', 'keys'],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => await readKeys(api, pageParam, PAGE_SIZE, signal),
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
    select: ({ pages }) => pages.flat(),
  })
}

/** The GPTs that this login sees. Null if only the host knows it. */
export function useOwnSight(): UseQueryResult<Sight | null> {
  const api = useApi()
  const { login } = useLogin()
  return useQuery({
    queryKey: ['people', 'own-sight'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      if (login.kind === 'password') return 'user'
      if (login.kind === 'host') return null
      for (let after = 0; ; ) {
        const page = await readKeys(api, after, SEARCH_SIZE, signal)
        const own = page.find(({ clientId }) => clientId === login.clientId)
        if (own !== undefined) return own.sight
        const last = page.at(-1)
        if (last === undefined || page.length < SEARCH_SIZE) return null
        after = last.id
      }
    },
  })
}

async function readKeys(
  api: AlcoveClient,
  after: number,
  limit: number,
  signal: AbortSignal,
): Promise<readonly ApiKey[]> {
  return await dataOf(api.GET('/tenant/keys', { params: { query: { limit, after } }, signal }))
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
