import { useQuery } from '@tanstack/react-query'
import { dataOf, useApi } from '../../api/api.js'
import { useUserNames } from '../use-names.js'

export interface Actor {
  readonly id: number
  /** Undefined if it is not known. */
  readonly name: string | undefined
}

const ENTRIES = 500
/** Each name is a request. */
const MAX_ACTORS = 30
const STALE_MS = 60_000

/** The users who acted last, and the chosen one, even if that one has never acted. */
export function useActors(chosen: number | undefined): readonly Actor[] {
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['operate', 'actors'],
    queryFn: async ({ signal }) => {
      const { items } = await dataOf(api.GET('/tenant/audit', { params: { query: { limit: ENTRIES } }, signal }))
      const ids = items.flatMap(({ actor }) => (actor.userId === null ? [] : [actor.userId]))
      return [...new Set(ids)].slice(0, MAX_ACTORS)
    },
    staleTime: STALE_MS,
  })
  const ids = [...new Set([...(chosen === undefined ? [] : [chosen]), ...data])]
  const names = useUserNames(ids)
  return ids.map((id, at) => ({ id, name: names[at]?.name }))
}
