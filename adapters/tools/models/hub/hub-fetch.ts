import { InvalidInputError } from '../../../../src/index.js'
import { isCode } from '../../../node-kit/index.js'
import { type Fetch, variable } from './hub-options.js'

/** A proxy of the environment. */
export interface NamedProxy {
  /** The variable of the environment that names it. */
  readonly variable: string
  readonly url: URL
}

/** The fetch of a download, and advice about a proxy that it cannot use. */
interface NetworkFetch {
  readonly fetch: Fetch
  /** The proxies that requests may go through. The first is that of requests to the endpoint, if it has one. */
  readonly proxies: readonly NamedProxy[]
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
  const [http, https] = [HTTP_VARIABLES, HTTPS_VARIABLES].map(namedProxy)
  const found = endpoint.startsWith('https:') ? [https, http] : [http, https]
  const proxies = found.filter((proxy) => proxy !== undefined)
  if (https === undefined) return { fetch, proxies, proxyAdvice: '' }
  if (variable('NODE_USE_ENV_PROXY') === '1' && isProxyOfNode()) return { fetch, proxies, proxyAdvice: '' }
  try {
    const { EnvHttpProxyAgent, fetch: fetchByProxy } = await import('undici')
    const dispatcher = new EnvHttpProxyAgent(textsOf(http, https))
    const proxied = async (input: unknown, init: object = {}): Promise<unknown> =>
      await fetchByProxy(input as string, { ...init, dispatcher })
    return { fetch: proxied as unknown as Fetch, proxies, proxyAdvice: '' }
  } catch (error) {
    if (!isCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
    const proxyAdvice = `to use the proxy of ${proxies[0]?.variable ?? ''}, run "npm install undici"; `
    return { fetch, proxies: [], proxyAdvice }
  }
}

/** An empty variable in small letters does not hide the other one. */
function textsOf(
  http: NamedProxy | undefined,
  https: NamedProxy,
): Readonly<Record<'httpProxy' | 'httpsProxy' | 'noProxy', string>> {
  const textOf = (name: string | undefined): string => (name === undefined ? '' : (variable(name) ?? ''))
  return {
    httpProxy: textOf(http?.variable),
    httpsProxy: textOf(https.variable),
    noProxy: textOf(['no_proxy', 'NO_PROXY'].find(variable)),
  }
}

/** The value is not shown: it may have a password. @throws InvalidInputError */
function namedProxy(names: readonly string[]): NamedProxy | undefined {
  const name = names.find(variable)
  if (name === undefined) return undefined
  const text = variable(name) ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return { variable: name, url }
  throw new InvalidInputError(name, 'must be the http or https URL of a proxy, such as http://proxy.example:8080')
}

/** True if the fetch of this Node knows `NODE_USE_ENV_PROXY`. Older ones ignore it. */
function isProxyOfNode(): boolean {
  return process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
}
