import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../../api/api.js'
import { isRefusal } from '../../api/is-refusal.js'
import { GPTS } from '../use-gpts.js'

export type Settings = Schema<'ContextSettings'>
export type SettingsChanges = Partial<Omit<Settings, 'reindexing'>> & { readonly reindexing?: null }

const POLL_MS = 1_000

/** The settings of a context. While a re-index runs, they are read again and again. */
export function useSettings(contextId: number): UseQueryResult<Settings> {
  const api = useApi()
  return useQuery({
    queryKey: keyOf(contextId),
    queryFn: async ({ signal }) =>
      await dataOf(api.GET('/context/settings/{contextId}', { params: { path: { contextId } }, signal })),
    refetchInterval: ({ state: { data, error } }) => {
      return data?.reindexing?.error === null && !isRefusal(error) ? POLL_MS : false
    },
  })
}

/** Changes settings of a context. Give it only those that change: others would cancel or replace a re-index. */
export function useChangeSettings(contextId: number): UseMutationResult<Settings, Error, SettingsChanges> {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (changes) => {
      const params = { path: { contextId } }
      return await dataOf(api.PUT('/context/settings/{contextId}', { params, body: changes }))
    },
    onSuccess: async (settings) => {
      await queries.cancelQueries({ queryKey: keyOf(contextId) })
      queries.setQueryData(keyOf(contextId), settings)
      void queries.invalidateQueries({ queryKey: GPTS })
    },
  })
}

function keyOf(contextId: number): readonly unknown[] {
  return [...GPTS, contextId, 'settings']
}
