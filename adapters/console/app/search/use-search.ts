import { type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { dataOf, type Schema, useApi } from '../api/api.js'
import { readFilter } from './question/filter.js'
import type { SearchMode, SearchSettings, SearchState } from './search-state.js'

export type Explanation = Schema<'SearchExplanation'>
export type ExplainedHit = Explanation['hits'][number]

/** A search as the API takes it: one context or several. */
export interface SearchRequest {
  readonly contextIds: readonly number[]
  readonly prompt: string
  readonly mode?: SearchMode
  readonly topN?: number
  readonly scoreThreshold?: number
  readonly filter?: Readonly<Record<string, unknown>>
}

/** A result with its context, also of a search of one context. */
export type Hit = Required<Schema<'ContextSearchResult'>>

/** The key of all searches: to run them once more. */
export const SEARCH_KEY: QueryKey = ['search', 'run']

/** The most contexts whose results are explained: an explanation costs about two searches. */
const MAX_EXPLAINED = 8

/** @returns undefined if something is missing for a search */
export function requestOf(
  { contextIds, prompt, filter }: SearchState,
  settings: SearchSettings,
): SearchRequest | undefined {
  const read = readFilter(filter)
  if (contextIds.length === 0 || prompt.trim() === '' || 'problem' in read) return undefined
  const { mode, topN, threshold } = settings
  return {
    contextIds,
    prompt,
    ...(mode !== undefined && { mode }),
    ...(topN !== undefined && { topN }),
    ...(threshold !== undefined && { scoreThreshold: threshold }),
    ...(read.filter !== undefined && { filter: read.filter }),
  }
}

/** Only the user repeats a search. */
const ONCE = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, refetchOnReconnect: false } as const

/** Searches. A search that is no longer shown is cancelled. */
export function useHits(request: SearchRequest | undefined): UseQueryResult<readonly Hit[]> {
  const api = useApi()
  return useQuery({
    queryKey: [...SEARCH_KEY, 'hits', request],
    enabled: request !== undefined,
    ...ONCE,
    queryFn: async ({ signal }): Promise<readonly Hit[]> => {
      if (request === undefined) return []
      const { contextIds, ...rest } = request
      const include: ('score' | 'source' | 'match')[] = ['score', 'source', 'match']
      const [only] = contextIds
      if (contextIds.length === 1 && only !== undefined) {
        const params = { path: { contextId: only } }
        const body = { ...rest, include }
        const found = await dataOf(api.POST('/context/relevant-docs/{contextId}', { params, body, signal }))
        return found.map((hit) => ({ ...hit, contextId: only }) as Hit)
      }
      const body = { contextIds: [...contextIds], ...rest, include }
      return (await dataOf(api.POST('/context/relevant-docs', { body, signal }))) as Hit[]
    },
  })
}

/** Explains the results of a search, context by context, once they are there. */
export function useExplanations(
  request: SearchRequest | undefined,
  hits: readonly Hit[] | undefined,
): UseQueryResult<readonly Explanation[]> {
  const api = useApi()
  const withHits = new Set(hits?.map(({ contextId }) => contextId))
  const ids = [...withHits, ...(request?.contextIds ?? []).filter((id) => !withHits.has(id))].slice(0, MAX_EXPLAINED)
  return useQuery({
    queryKey: [...SEARCH_KEY, 'explanations', request, ids],
    enabled: request !== undefined && hits !== undefined,
    ...ONCE,
    queryFn: async ({ signal }): Promise<readonly Explanation[]> => {
      const explanations: Explanation[] = []
      if (request === undefined) return explanations
      const { contextIds: _, ...body } = request
      // One after the other: a company may run only some searches at once.
      for (const contextId of ids) {
        const params = { path: { contextId } }
        explanations.push(await dataOf(api.POST('/context/explain/{contextId}', { params, body, signal })))
      }
      return explanations
    },
  })
}
