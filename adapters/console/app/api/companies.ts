import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from './api.js'

export type Company = Schema<'Company'>

const PAGE_SIZE = 1_000

/**
 * Reads all companies that the user manages, page by page. The sections share the answer.
 *
 * @param options.select makes what the section needs of them; give it a function that stays the same
 * @param options.enabled false for a user who may not list them
 */
export function useAllCompanies<Selected = readonly Company[]>({
  select,
  enabled = true,
}: {
  readonly select?: (companies: readonly Company[]) => Selected
  readonly enabled?: boolean
} = {}): UseQueryResult<Selected> {
  const api = useApi()
  return useQuery({
    queryKey: ['companies'],
    staleTime: 30_000,
    enabled,
    ...(select !== undefined && { select }),
    queryFn: async ({ signal }): Promise<readonly Company[]> => {
      const all: Company[] = []
      for (let after = 0; ; ) {
        const params = { query: { limit: PAGE_SIZE, after } }
        const page = await dataOf(api.GET('/tenant/companies', { params, signal }))
        all.push(...page)
        const last = page.at(-1)
        if (last === undefined || page.length < PAGE_SIZE) return all
        after = last.id
      }
    },
  })
}
