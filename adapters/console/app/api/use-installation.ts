import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { AlcoveApiError, dataOf, type Schema, useApi } from './api.js'

export type Installation = Schema<'InstallationState'>

/** The state of the installation; null for users who do not manage the root company. */
export type InstallationQuery = UseQueryResult<Installation | null>

/**
 * Asks for the state again and again while the page is visible.
 * @param pollMs false to ask once
 * @param isAsked false to ask never
 */
export function useInstallation(pollMs: number | false, isAsked = true): InstallationQuery {
  const api = useApi()
  return useQuery({
    queryKey: ['installation'],
    enabled: isAsked,
    queryFn: async ({ signal }) => {
      try {
        return await dataOf(api.GET('/operator/state', { signal }))
      } catch (error) {
        if (error instanceof AlcoveApiError && error.status === 403) return null
        throw error
      }
    },
    // The first error waits for the user. Later ones do not: the state that is known stays on the page.
    refetchInterval: ({ state }) => (state.data == null ? false : pollMs),
  })
}
