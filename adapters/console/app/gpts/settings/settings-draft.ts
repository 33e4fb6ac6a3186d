import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../../api/api.js'
import { isRefusal } from '../../api/refusals.js'
import { GPTS } from '../use-gpts.js'

type Editable = Omit<Settings, 'reindexing'>

/** The names of all settings. */
export const SETTING_NAMES = [
  'topN',
  'scoreThreshold',
  'searchMode',
  'findsEarly',
  'embeddingModel',
  'chunkSizeTokens',
  'overlap',
  'maxSizeBytes',
] as const

/** The settings whose change is a re-index. */
const CHUNK_SETTINGS = ['embeddingModel', 'chunkSizeTokens', 'overlap'] as const

/** The values that a form shows: during a re-index, those that it brings. */
export function wantedOf({ reindexing, ...settings }: Settings): Editable {
  if (reindexing === null) return settings
  const { embeddingModel, chunkSizeTokens, overlap } = reindexing
  return { ...settings, embeddingModel, chunkSizeTokens, overlap }
}

/** The members of a draft that differ from what the server has. */
export function changedIn(draft: Partial<Editable>, settings: Settings): SettingsChanges {
  const wanted = wantedOf(settings)
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => draft[name] !== undefined && !Object.is(draft[name], wanted[name])).map((name) => [
      name,
      draft[name],
    ]),
  )
}

/** True if the documents must be prepared again. */
export function startsReindex(changes: SettingsChanges): boolean {
  return CHUNK_SETTINGS.some((name) => changes[name] !== undefined)
}

/** Rules of the server: what a number may be. */
const RANGES = {
  topN: [1, 100, true],
  scoreThreshold: [0, 1, false],
  chunkSizeTokens: [16, 8_192, true],
  overlap: [0, 0.999_999, false],
  maxSizeBytes: [1, Number.MAX_SAFE_INTEGER, true],
} as const

export type NumberSetting = keyof typeof RANGES

/** The settings of a draft that the server would refuse. */
export function wrongIn(changes: SettingsChanges): ReadonlySet<string> {
  const wrong = new Set<string>()
  for (const [name, [min, max, isInteger]] of Object.entries(RANGES)) {
    const value = changes[name as NumberSetting]
    if (value === undefined) continue
    if (!(value >= min && value <= max) || (isInteger && !Number.isInteger(value))) wrong.add(name)
  }
  if (changes.embeddingModel?.trim() === '') wrong.add('embeddingModel')
  return wrong
}

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
