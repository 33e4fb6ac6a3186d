import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactElement, type ReactNode, use, useState } from 'react'
import {
  AlcoveApiError,
  type AlcoveClient,
  type AlcoveClientOptions,
  type components,
  createAlcoveClient,
} from '../../../client/index.js'
import { reportStatus } from './refusals.js'

export type { AlcoveClient, DocumentState } from '../../../client/index.js'
export { AlcoveApiError, AlcoveClientError, dataOf } from '../../../client/index.js'

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

/**
 * A client of the server that sent this page. It reports refusals: see `onRefusal`.
 *
 * @param accountId the account for which it acts. Default: the server chooses one
 * @param tenantAccountId the account for users, permissions, webhooks and operation. Default: `accountId`
 */
export function createApi(accountId?: number, tenantAccountId: number | undefined = accountId): AlcoveClient {
  const options: AlcoveClientOptions = {
    baseUrl: location.origin + serverAddresses().apiPath,
    access: {
      cookies: true,
      headers: (targetApp) => {
        const id = targetApp === 'tenant' ? tenantAccountId : accountId
        return id === undefined ? {} : { 'x-alcove-account': String(id) }
      },
    },
    // Queries have retries of their own. A mutation fails at once, so that the user can decide.
    maxRetries: 0,
  }
  const uploads = createAlcoveClient(options)
  return {
    ...createAlcoveClient({ ...options, fetch: reportingFetch }),
    // With a `fetch` of its own, a client cannot tell the progress of uploads.
    upload: async (...given) => await reporting(uploads.upload(...given)),
    replace: async (...given) => await reporting(uploads.replace(...given)),
  }
}

const reportingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  // A wrong password is no end of a login, and the page itself asks for its login.
  if (!new URL(response.url).pathname.endsWith('/auth/login')) reportStatus(response.status)
  return response
}

async function reporting<Result>(sending: Promise<Result>): Promise<Result> {
  try {
    return await sending
  } catch (error) {
    if (error instanceof AlcoveApiError) reportStatus(error.status)
    throw error
  }
}

/** The addresses that the page gets from its server: see `console-page.ts`. */
interface ServerAddresses {
  /** Path of the console, such as `/console`. */
  readonly consolePath: string
  /** Path of the REST API, without a slash at its end; empty for the root. */
  readonly apiPath: string
}

/** @throws Error if the page is not one of the server's */
export function serverAddresses(): ServerAddresses {
  const { consolePath, apiPath } = document.documentElement.dataset
  if (consolePath === undefined || apiPath === undefined) throw new Error('the page has no addresses')
  return { consolePath, apiPath }
}
