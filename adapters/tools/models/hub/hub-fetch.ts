import { isCode } from '../../../node-kit/index.js'

export type Fetch = typeof globalThis.fetch

/** The fetch of a download, and advice about a proxy that it cannot use. */
interface NetworkFetch {
  readonly fetch: Fetch
  /** A sentence that ends in a comma, for an error; empty if no proxy is named, or if it is used. */
  readonly proxyAdvice: string
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/**
 * Returns the fetch of Node, or that of the package `undici` if a variable such as `HTTPS_PROXY` names a proxy: the
 * fetch of Node uses none by itself before version 24. `NO_PROXY` names hosts without it.
 */
export async function openNetworkFetch(): Promise<NetworkFetch> {
  const variable = PROXY_VARIABLES.find((name) => (process.env[name] ?? '') !== '')
  // With this variable, the fetch of Node 24 knows the others.
  if (variable === undefined || process.env['NODE_USE_ENV_PROXY'] === '1') return { fetch, proxyAdvice: '' }
  try {
    const { EnvHttpProxyAgent, fetch: fetchByProxy } = await import('undici')
    const dispatcher = new EnvHttpProxyAgent()
    const proxied = async (input: unknown, init: object = {}): Promise<unknown> =>
      await fetchByProxy(input as string, { ...init, dispatcher })
    return { fetch: proxied as unknown as Fetch, proxyAdvice: '' }
  } catch (error) {
    if (!isCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
    return { fetch, proxyAdvice: `to use the proxy of ${variable}, run "npm install undici"; ` }
  }
}
