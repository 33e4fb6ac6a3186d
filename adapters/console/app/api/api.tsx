import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactElement, type ReactNode, use, useState } from 'react'
import { AlcoveApiError, type AlcoveClient, type components } from '../../../client/index.js'
import { createApi } from './create-api.js'

export type { AlcoveClient, DocumentState } from '../../../client/index.js'
export { AlcoveApiError, AlcoveClientError, dataOf } from '../../../client/index.js'
export { createApi } from './create-api.js'

/** A record of the API, by the name of its schema: `Schema<'Context'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

/** The statuses that another try can change. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
const MAX_RETRIES = 2

const ApiContext = createContext<AlcoveClient | undefined>(undefined)

interface ApiProviderProps {
  readonly accountId: number | undefined
  readonly tenantAccountId: number | undefined
  readonly children: ReactNode
}

/** Gives its children the API as one login sees it. Give it the login and its accounts as its `key`: each has data of its own. */
export function ApiProvider({ accountId, tenantAccountId, children }: ApiProviderProps): ReactElement {
  const [api] = useState(() => createApi(accountId, tenantAccountId))
  const [queries] = useState(createQueries)
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

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A server on this machine answers without a network, also if the browser says that it is offline.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 2_000,
        retry: (failures, error) =>
          failures < MAX_RETRIES && !(error instanceof AlcoveApiError && !TRANSIENT.has(error.status)),
      },
    },
  })
}
