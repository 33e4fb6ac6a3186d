import { type UseQueryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { AlcoveApiError, type AlcoveClient, createApi, dataOf, type Schema, useApi } from '../api/api.js'
import { useLogin } from '../login/use-login.js'

const STALE_MS = 60_000

/** The name of a context; undefined until it is known, and for users who may not read it. */
export function useContextName(id: number | undefined, accountId?: number): string | undefined {
  const { login, account } = useLogin()
  const reader = login.accounts.find((each) => each.id === (accountId ?? account?.id))
  return useName(
    ['context', id, reader?.id],
    id !== undefined && reader?.capabilities.includes('context:read') === true
      ? async (signal) => {
          const params = { path: { contextId: id } }
          return (await dataOf(createApi(reader.id).GET('/context/{contextId}', { params, signal }))).name
        }
      : undefined,
  )
}

/**
 * The name of a thing; undefined until it is known, if it is deleted, and for users who may not see it.
 *
 * @param details the context of a document, and a user with a permission on an account
 */
export function useNameOf(kind: string, id: number | null, details: Details): string | undefined {
  const api = useApi()
  const { login, can } = useLogin()
  const ofContext = useContextName(kind === 'context' && id !== null ? id : undefined)
  const ofAccount = kind === 'account' ? login.accounts.find((each) => each.id === id)?.name : undefined
  const isKnown = id === null || kind === 'context' || ofAccount !== undefined
  const other = useName(
    [kind, id, ...(kind === 'document' ? [details['contextId']] : kind === 'account' ? [details['userId']] : [])],
    isKnown ? undefined : readerOf(api, can, kind, id, details),
  )
  return ofContext ?? ofAccount ?? other
}

/** A user, as far as this one may see it. */
interface KnownUser {
  /** Undefined until it is known, and if the user has none or may not be seen. */
  readonly name: string | undefined
  /** True if there is no such user. */
  readonly isGone: boolean
}

/** The users of some ids, in their order. */
export function useUserNames(ids: readonly number[]): readonly KnownUser[] {
  const api = useApi()
  return useQueries({
    queries: ids.map((id) => nameQuery(['user', id], userReader(api, id))),
    combine: (results) =>
      results.map(({ data, error }) => ({
        name: data ?? undefined,
        isGone: error instanceof AlcoveApiError && error.status === 404,
      })),
  })
}

type Details = Schema<'AuditEntry'>['details']

type ReadName = (signal: AbortSignal) => Promise<string | undefined>

function userReader(api: AlcoveClient, id: number): ReadName {
  return async (signal) => {
    const { name, email } = await dataOf(api.GET('/tenant/user/{id}', { params: { path: { id } }, signal }))
    return name === '' ? email : name
  }
}

function readerOf(
  api: AlcoveClient,
  can: ReturnType<typeof useLogin>['can'],
  kind: string,
  id: number,
  { contextId, userId }: Details,
): ReadName | undefined {
  switch (kind) {
    case 'user':
      return userReader(api, id)
    case 'account':
      // No route has an account by its id, but the permissions of its users name it.
      if (typeof userId !== 'number') return undefined
      return async (signal) => {
        const params = { path: { id: userId } }
        const { permissions } = await dataOf(api.GET('/tenant/user/{id}', { params, signal }))
        return permissions.find(({ account }) => account.id === id)?.account.name
      }
    case 'company':
      // A list from the id before has the company first, if the user manages it.
      return async (signal) => {
        const query = { limit: 1, after: id - 1 }
        const [company] = await dataOf(api.GET('/tenant/companies', { params: { query }, signal }))
        return company?.id === id ? company.name : undefined
      }
    case 'role':
      return async (signal) => {
        const roles = await dataOf(api.GET('/tenant/roles', { signal }))
        return roles.find((role) => role.id === id)?.name
      }
    case 'destination':
      if (!can('webhook:manage')) return undefined
      return async (signal) => {
        const params = { path: { id } }
        const { name, url } = await dataOf(api.GET('/v1/outbound-webhooks/destinations/{id}', { params, signal }))
        return name ?? url
      }
    case 'document':
      if (typeof contextId !== 'number' || !can('context:read')) return undefined
      return async (signal) => {
        const path = { contextId, docId: id }
        return (await dataOf(api.GET('/context/documents/{contextId}/{docId}', { params: { path }, signal })))
          .displayName
      }
    default:
      return undefined
  }
}

function useName(key: readonly unknown[], read: ReadName | undefined): string | undefined {
  return useQuery(nameQuery(key, read)).data ?? undefined
}

function nameQuery(key: readonly unknown[], read: ReadName | undefined): UseQueryOptions<string | null> {
  return {
    queryKey: ['operate', 'name', ...key],
    queryFn: async ({ signal }) => {
      const name = await read?.(signal)
      return name === undefined || name === '' ? null : name
    },
    enabled: read !== undefined,
    staleTime: STALE_MS,
    // A name is a help: without it, the number stands there.
    retry: false,
  }
}
