import { useQuery } from '@tanstack/react-query'
import { type AlcoveClient, createApi, dataOf, useApi } from '../api/api.js'
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
 * @param contextId the context of a document
 */
export function useNameOf(kind: string, id: number | null, contextId?: number): string | undefined {
  const api = useApi()
  const { can } = useLogin()
  const ofContext = useContextName(kind === 'context' && id !== null ? id : undefined)
  const other = useName(
    [kind, id, contextId],
    id === null || kind === 'context' ? undefined : readerOf(api, can, kind, id, contextId),
  )
  return ofContext ?? other
}

type ReadName = (signal: AbortSignal) => Promise<string | undefined>

function readerOf(
  api: AlcoveClient,
  can: ReturnType<typeof useLogin>['can'],
  kind: string,
  id: number,
  contextId: number | undefined,
): ReadName | undefined {
  const params = { path: { id } }
  switch (kind) {
    case 'user':
      return async (signal) => {
        const { name, email } = await dataOf(api.GET('/tenant/user/{id}', { params, signal }))
        return name === '' ? email : name
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
        const { name, url } = await dataOf(api.GET('/v1/outbound-webhooks/destinations/{id}', { params, signal }))
        return name ?? url
      }
    case 'document':
      if (contextId === undefined || !can('context:read')) return undefined
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
  const { data } = useQuery({
    queryKey: ['operate', 'name', ...key],
    queryFn: async ({ signal }) => (await read?.(signal)) ?? null,
    enabled: read !== undefined,
    staleTime: STALE_MS,
    // A name is a help: without it, the number stands there.
    retry: false,
  })
  return data === '' ? undefined : (data ?? undefined)
}
