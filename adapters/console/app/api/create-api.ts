import {
  AlcoveApiError,
  type AlcoveClient,
  type AlcoveClientOptions,
  createAlcoveClient,
} from '../../../client/index.js'
import { reportStatus } from './refusals.js'
import { serverAddresses } from './server.js'

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
