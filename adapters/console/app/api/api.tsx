import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactElement, type ReactNode, use, useState } from 'react'
import { AlcoveApiError, type AlcoveClient, type components, createAlcoveClient } from '../../../client/index.js'
import { serverAddresses } from './server.js'

export type { AlcoveClient, DocumentState } from '../../../client/index.js'
export { AlcoveApiError, AlcoveClientError, dataOf } from '../../../client/index.js'

/** A record of the API, by the name of its schema: `Schema<'Context'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** The statuses that another try can change. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const MAX_RETRIES = 2

/** A client of the server that sent this page. @param accountId the account for which it acts */
export function createApi(accountId?: number): AlcoveClient {
  return createAlcoveClient({
    baseUrl: location.origin + serverAddresses().apiPath,
    access: {
      cookies: true,
      ...(accountId !== undefined && { headers: { 'x-alcove-account': String(accountId) } }),
    },
    // Queries have retries of their own. A mutation fails at once, so that the user can decide.
    maxRetries: 0,
  })
}

const ApiContext = createContext<AlcoveClient | undefined>(undefined)

interface ApiProviderProps {
  readonly accountId: number | undefined
  /** Called when the server no longer knows the login. */
  readonly onLoggedOut: () => void
  readonly children: ReactNode
}

/** Gives its children the API as one account sees it. Give it the account as its `key`: each has data of its own. */
export function ApiProvider({ accountId, onLoggedOut, children }: ApiProviderProps): ReactElement {
  const [api] = useState(() => createApi(accountId))
  const [queries] = useState(() => createQueries(onLoggedOut))
  return (
    <QueryClientProvider client={queries}>
      <ApiContext value={api}>{children}</ApiContext>
    </QueryClientProvider>
  )
}

/** The client of the API, for the account of the user. */
export function useApi(): AlcoveClient {
  const api = use(ApiContext)
  if (api === undefined) throw new Error('useApi needs an ApiProvider')
  return api
}

function createQueries(onLoggedOut: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof AlcoveApiError && error.status === 401) onLoggedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (failures, error) =>
          failures < MAX_RETRIES && !(error instanceof AlcoveApiError && !TRANSIENT.has(error.status)),
      },
    },
  })
}
