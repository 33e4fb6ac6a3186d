import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../../api/api.js'

export type Role = Schema<'Role'>

/** The system-wide roles, and those of the companies in reach. The API has no pages of them. */
export function useRoles(): UseQueryResult<readonly Role[]> {
  const api = useApi()
  return useQuery({
    queryKey: ['people', 'roles'],
    queryFn: async ({ signal }) => await dataOf(api.GET('/tenant/roles', { signal })),
  })
}
