import { InvalidInputError, ModelError } from '../../../../src/index.js'
import { retryAfterMs } from '../../../../src/ports/index.js'
import { codeOf } from '../../../node-kit/index.js'
import { similarNames } from '../model-catalog.js'
import type { NamedProxy } from './hub-fetch.js'
import { failureOfProxy, isRefusalOfProxy, namesAddress } from './proxy-failure.js'

/** The repository and the hub of a download, for messages. */
export interface HubPlace {
  /** Without a slash at the end, such as `https://huggingface.co`. */
  readonly endpoint: string
  readonly repository: string
  readonly revision: string
  readonly hasToken: boolean
  /** The proxies of the environment. The first is that of requests to the endpoint, if it has one. */
  readonly proxies: readonly NamedProxy[]
  /** A sentence about a proxy that is named and cannot be used; empty otherwise. */
  readonly proxyAdvice: string
}

/** How to get a model without a network. */
const BY_HAND = 'without a network, copy the files of the model from another machine, and run "alcove model add FOLDER"'
/** The same command goes on after a failure that passes. */
const RUN_AGAIN = 'run the command again, and the download goes on where it stopped'

/** An answer that is not a success, as a sentence. The hub's own words are left out: they may name other users' models. */
export function failureOf(response: Response, place: HubPlace): ModelError {
  const { status, headers } = response
  const { endpoint, repository, revision, hasToken } = place
  const page = `${endpoint}/${repository}`
  const code = headers.get('x-error-code')
  if (status === 407) return refusedByProxy(place)
  if (status === 429 || status >= 500 || status === 408) return busy(status, headers.get('retry-after'), place)
  if (code === 'RevisionNotFound') {
    return new ModelError(
      'ERR_MODEL_UNKNOWN',
      `${repository} has no revision ${revision} (${status}): see ${page}/commits/main`,
    )
  }
  // The hub answers 401 for a name that it does not know, because it may be a private one.
  if (status === 404 || code === 'RepoNotFound') return unknownModel(place, status)
  if (status === 403 || code === 'GatedRepo') {
    const token = hasToken ? 'the account of HF_TOKEN' : 'your account, and give a token of it in HF_TOKEN'
    return new ModelError(
      'ERR_MODEL_REFUSED',
      `${endpoint} lets only accounts read ${repository} that have accepted its licence (${status}): accept it on ${page} with ${token}`,
    )
  }
  if (status === 401) {
    const token = hasToken ? 'the token in HF_TOKEN is not valid, or may not read it' : 'give a token in HF_TOKEN'
    return new ModelError('ERR_MODEL_REFUSED', `${endpoint} refuses to show ${repository} (401): ${token}`)
  }
  return new ModelError(
    'ERR_MODEL_REFUSED',
    `${endpoint} refuses the request for ${repository} (${status}): see ${page}`,
  )
}

function busy(status: number, retryAfter: string | null, place: HubPlace): ModelError {
  const wishMs = retryAfterMs(retryAfter, new Date())
  const pause = wishMs === undefined ? '' : ` in ${Math.ceil(wishMs / 1_000)} s`
  const token = status === 429 ? '; a token in HF_TOKEN raises its limit' : ''
  const proxy = status >= 500 && place.proxies.length > 0 ? `; ${hintOfProxy(place, '')}` : ''
  return new ModelError(
    'ERR_MODEL_UNAVAILABLE',
    `${place.endpoint} answers with ${status}: ${RUN_AGAIN}${pause}${token}${proxy}`,
    { ...(wishMs !== undefined && { retryAfterMs: wishMs }) },
  )
}

function unknownModel({ endpoint, repository, hasToken }: HubPlace, status: number): ModelError {
  const token = hasToken ? '' : ', or it is private and needs a token in HF_TOKEN'
  return new ModelError(
    'ERR_MODEL_UNKNOWN',
    `${endpoint} has no model ${repository} (${status})${token}: ${offer(repository)}`,
  )
}

/** A name that is neither in the catalog nor one of a repository. */
export function unknownName(name: string): InvalidInputError {
  return new InvalidInputError(
    'name',
    `${JSON.stringify(name)} is neither a known model nor OWNER/NAME: ${offer(name)}`,
  )
}

function offer(name: string): string {
  return `did you mean ${similarNames(name).join(', ')}? "alcove model download" lists all known names`
}

/** A request without an answer. */
export function unreachable(cause: unknown, place: HubPlace): ModelError {
  const { endpoint, proxyAdvice, proxies } = place
  if (isRefusalOfProxy(cause)) return refusedByProxy(place, cause)
  const ofProxy = failureOfProxy(cause, proxies)
  if (ofProxy !== undefined) {
    return new ModelError('ERR_MODEL_UNAVAILABLE', `${ofProxy}, so ${endpoint} cannot be reached: ${REMEDY_OF_PROXY}`, {
      cause,
    })
  }
  const code = codeOf(cause) ?? codeOf((cause as { readonly cause?: unknown } | undefined)?.cause)
  const what = code === undefined ? 'cannot be reached, or ended the connection' : `cannot be reached (${code})`
  const hint = proxyAdvice + (namesAddress(cause) ? '' : hintOfProxy(place, '; '))
  return new ModelError('ERR_MODEL_UNAVAILABLE', `${endpoint} ${what}: ${hint}${BY_HAND}`, { cause })
}

function hintOfProxy({ proxies: [proxy] }: HubPlace, end: string): string {
  return proxy === undefined ? '' : `the reason may be the proxy ${proxy.url.host} of ${proxy.variable}${end}`
}

const REMEDY_OF_PROXY =
  'correct the variable or start the proxy, or name the host in NO_PROXY if it needs none, then run the command again'

/** The variable may have a password, so its value is not shown. */
function refusedByProxy({ endpoint, proxies: [proxy] }: HubPlace, cause?: unknown): ModelError {
  const remedy =
    proxy === undefined
      ? 'give it the user and the password that it wants'
      : `put a user and a password that it knows into ${proxy.variable}, as in http://USER:PASSWORD@HOST:PORT`
  const named = proxy === undefined ? 'a proxy' : `the proxy ${proxy.url.host}`
  return new ModelError('ERR_MODEL_REFUSED', `${named} refuses the way to ${endpoint} (407): ${remedy}`, { cause })
}

/** A download that stopped in the middle. */
export function cutOff(file: string, { endpoint }: HubPlace, cause?: unknown): ModelError {
  return new ModelError('ERR_MODEL_UNAVAILABLE', `${endpoint} ended the download of ${file} too early: ${RUN_AGAIN}`, {
    cause,
  })
}

/** An answer that is not one of the hub's protocol. */
export function notTheHub({ endpoint, repository }: HubPlace, cause?: unknown): ModelError {
  return new ModelError(
    'ERR_MODEL_UNSUPPORTED',
    `${endpoint} does not answer as the Hugging Face hub does about ${repository}: check the endpoint (--endpoint, HF_ENDPOINT)`,
    { cause },
  )
}

/** A server that answers with another commit than the one that is asked for. */
export function otherCommit(commit: string, { endpoint, repository, revision }: HubPlace): ModelError {
  return new ModelError(
    'ERR_MODEL_CHANGED',
    `${endpoint} answers with commit ${commit} of ${repository} in the place of ${revision}: use another mirror (--endpoint)`,
  )
}

/** A file that is not the one of the listing. It was removed. */
export function wrongFile(file: string, { endpoint, repository }: HubPlace): ModelError {
  return new ModelError(
    'ERR_MODEL_CHANGED',
    `${file} of ${repository} as ${endpoint} sends it does not have the hash that it gives: the file was removed; run the command again, or use another mirror (--endpoint)`,
  )
}
