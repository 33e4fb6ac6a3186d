import {
  type InfiniteData,
  queryOptions,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useIsFetching,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type AlcoveClient, dataOf, type Schema, useApi } from '../api/api.js'
import { useTexts } from '../texts/phrases.js'
import { TEXTS } from './people-texts.js'

export type User = Schema<'User'>
export type UserDetails = Schema<'UserDetails'>
export type ListedPermission = Schema<'ListedPermission'>
type Pages = InfiniteData<readonly User[], number>

const PAGE_SIZE = 50
const USERS_KEY = ['people', 'users'] as const

/** The users of a company, page by page. */
export function useUsers(companyId: number): UseInfiniteQueryResult<readonly User[]> {
  const api = useApi()
  return useInfiniteQuery({
    queryKey: [...USERS_KEY, companyId],
    initialPageParam: 0,
    queryFn: async ({ pageParam: after, signal }): Promise<readonly User[]> => {
      const params = { path: { cid: companyId }, query: { limit: PAGE_SIZE, after } }
      return await dataOf(api.GET('/tenant/users/{cid}', { params, signal }))
    },
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
    select: ({ pages }: Pages) => pages.flat(),
  })
}

export function useUser(id: number): UseQueryResult<UserDetails> {
  const api = useApi()
  return useQuery(userQuery(api, id))
}

/** Users by their ids, each asked for once: a list shows only their names. Null for one whom the user may not see. */
export function useUsersById(ids: readonly number[]): ReadonlyMap<number, UserDetails | null> {
  const api = useApi()
  const distinct = [...new Set(ids)]
  return useQueries({
    queries: distinct.map((id) => ({ ...userQuery(api, id), ...SELDOM })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data, error }, at) => {
          const user = data ?? (error === null ? undefined : null)
          return user === undefined ? [] : [[distinct[at] ?? 0, user] as const]
        }),
      ),
  })
}

const SELDOM = { staleTime: 300_000, retryOnMount: false, refetchOnWindowFocus: false } as const

function userQuery(api: AlcoveClient, id: number) {
  return queryOptions({
    queryKey: ['people', 'user', id],
    queryFn: async ({ signal }) => await dataOf(api.GET('/tenant/user/{id}', { params: { path: { id } }, signal })),
  })
}

/** A function that gives the users of a company that are loaded already. Its component follows later pages. */
export function useLoadedUsers(): (companyId: number) => readonly User[] {
  const queries = useQueryClient()
  // The number of running requests changes with each page that arrives.
  useIsFetching({ queryKey: USERS_KEY })
  return (companyId) => queries.getQueryData<Pages>([...USERS_KEY, companyId])?.pages.flat() ?? []
}

/** True for a user who was made for an API key, and is no person. */
export function isServiceUser({ email }: Pick<User, 'email'>): boolean {
  return email.endsWith('@alcove.invalid')
}

/** A function that names a user, also one without a name and an address. */
export function useUserName(): (user: Pick<User, 'id' | 'name' | 'email'>) => string {
  const texts = useTexts(TEXTS)
  return (user) => (isServiceUser(user) ? texts.serviceUser(user.id) : user.name || user.email || texts.noName(user.id))
}

/** True if the name or the address has the text. */
export function matches({ name, email }: Pick<User, 'name' | 'email'>, text: string): boolean {
  const sought = text.trim().toLowerCase()
  return name.toLowerCase().includes(sought) || email.toLowerCase().includes(sought)
}
