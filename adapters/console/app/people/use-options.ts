import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../api/api.js'

type Options = Schema<'PermissionOptions'>
export type OptionItem = Schema<'OptionItem'>

/** The choices of the steps before; undefined for one that is still to come. */
export interface OptionsPath {
  readonly companyId: number
  readonly type?: number | undefined
  readonly region?: number | undefined
  readonly account?: number | undefined
  /** True to include accounts that are switched off. */
  readonly all?: boolean
}

/** The choices for a permission, as far as the path goes. */
export function useOptions({ companyId, type, region, account, all = false }: OptionsPath): UseQueryResult<Options> {
  const api = useApi()
  return useQuery({
    queryKey: ['people', 'options', companyId, type, region, account, all],
    // The choices of the steps before stay visible meanwhile.
    placeholderData: (before, query) => (query?.queryKey[2] === companyId ? before : undefined),
    queryFn: async ({ signal }) => {
      const query = { cid: companyId, all }
      if (type === undefined) return await dataOf(api.GET('/permission/options', { params: { query }, signal }))
      if (region === undefined) {
        const params = { query, path: { type } }
        return await dataOf(api.GET('/permission/options/{type}', { params, signal }))
      }
      if (account === undefined) {
        const params = { query, path: { type, region } }
        return await dataOf(api.GET('/permission/options/{type}/{region}', { params, signal }))
      }
      const params = { query, path: { type, region, account } }
      return await dataOf(api.GET('/permission/options/{type}/{region}/{account}', { params, signal }))
    },
  })
}
