import { InvalidInputError } from '../../../../src/index.js'
import { isCode } from '../../../node-kit/index.js'
import { type Fetch, variable } from './hub-options.js'

/** The fetch of a download, and advice about a proxy that it cannot use. */
interface NetworkFetch {
  readonly fetch: Fetch
  /** The variable with the proxy that requests to the endpoint go through. */
  readonly proxyVariable: string | undefined
  /** A sentence that ends in a comma, for an error; empty if no proxy is named, or if it is used. */
  readonly proxyAdvice: string
}

/** The first that has a value counts. A proxy for http is also one for https. */
const HTTP_VARIABLES = ['http_proxy', 'HTTP_PROXY']
const HTTPS_VARIABLES = ['https_proxy', 'HTTPS_PROXY', ...HTTP_VARIABLES]

/**
 * Returns the fetch of Node, or that of the package `undici` if a variable such as `HTTPS_PROXY` names a proxy: the
 * fetch of Node uses none by itself before version 24. `NO_PROXY` names hosts without it.
 *
 * @throws InvalidInputError for a variable that has no URL
 */
export async function openNetworkFetch(endpoint: string): Promise<NetworkFetch> {
  const [http, https] = [HTTP_VARIABLES, HTTPS_VARIABLES].map((names) => names.find(variable))
  for (const name of [http, https]) requireUrl(name)
  const proxyVariable = endpoint.startsWith('https:') ? https : http
  if (https === undefined) return { fetch, proxyVariable, proxyAdvice: '' }
  if (variable('NODE_USE_ENV_PROXY') === '1' && isProxyOfNode()) return { fetch, proxyVariable, proxyAdvice: '' }
  try {
    const { EnvHttpProxyAgent, fetch: fetchByProxy } = await import('undici')
    const dispatcher = new EnvHttpProxyAgent(proxies(http, https))
    const proxied = async (input: unknown, init: object = {}): Promise<unknown> =>
      await fetchByProxy(input as string, { ...init, dispatcher })
    return { fetch: proxied as unknown as Fetch, proxyVariable, proxyAdvice: '' }
  } catch (error) {
    if (!isCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
    const proxyAdvice = `to use the proxy of ${proxyVariable ?? https}, run "npm install undici"; `
    return { fetch, proxyVariable: undefined, proxyAdvice }
  }
}

/** An empty variable in small letters does not hide the other one. */
function proxies(http: string | undefined, https: string): { readonly httpProxy: string; readonly httpsProxy: string } {
  return { httpProxy: (http && variable(http)) ?? '', httpsProxy: variable(https) ?? '' }
}

/** The value is not shown: it may have a password. */
function requireUrl(name: string | undefined): void {
  const text = name === undefined ? undefined : variable(name)
  if (name === undefined || text === undefined) return
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return
  throw new InvalidInputError(name, 'must be the http or https URL of a proxy, such as http://proxy.example:8080')
}

/** True if the fetch of this Node knows `NODE_USE_ENV_PROXY`. Older ones ignore it. */
function isProxyOfNode(): boolean {
  return process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
}
